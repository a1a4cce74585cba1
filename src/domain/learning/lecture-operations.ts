import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { keepsText } from '../content/rendered-texts.ts'
import { id } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { loadObject } from '../operation/resource.ts'
import { checkRow } from '../operation/row-rules.ts'
import {
  completeLecture,
  LECTURE_KINDS,
  lectureFields,
  lectureRules,
  lectures,
  sections,
} from './curriculum-resource.ts'
import { lockCourse } from './section-operations.ts'

const ops = objectOperations({
  of: lectures,
  table: 'lectures',
  one: 'a lecture',
  scope: 'curriculum',
  example: EXAMPLE.lecture,
  once: { section_id: id },
  fields: lectureFields,
  wrote: keepsText('body'),
})

export const listLectures = listOperation({
  ...ops.listed,
  title: 'List the lectures of a section',
  summary: 'The lectures, in the order that students see.',
  within: { section_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, sections, input.section_id),
  filters: { kind: filter(z.enum(LECTURE_KINDS), (kind) => sql`r.kind = ${kind}`) },
  sorts: { position: 'number', created_at: 'time' },
  defaultSort: 'position',
  examples: [{ title: 'The lectures of a section', input: { section_id: EXAMPLE.section } }],
})

export const readLecture = ops.read()

export const createLecture = ops.create({
  summary: 'Adds a lecture at the end of a section.',
  examples: [
    {
      title: 'A week after the enrollment',
      input: {
        section_id: EXAMPLE.section,
        title: 'Mixing colours',
        duration_seconds: 540,
        unlock_after_days: 7,
      },
    },
    {
      title: 'At a date',
      input: {
        section_id: EXAMPLE.section,
        title: 'Live review',
        kind: 'text',
        unlock_at: '2027-03-01T09:00:00Z',
      },
    },
  ],
  async create(tx, caller, { section_id, ...columns }) {
    checkRow(lectureRules, columns)
    const { course_id } = await loadObject(tx, caller, sections, section_id)
    await lockCourse(tx, course_id)
    const { rows } = await tx.run(sql<{ position: number }>`
      select coalesce(max(position) + 1, 0) as position from lectures
      where school_id = ${tx.schoolId} and section_id = ${section_id}`)
    const place = { course_id, section_id, position: rows[0]?.position ?? 0 }
    const { now } = await unlockingNow(tx)
    const announce_at = announceAt(columns, { now, was_open: false })
    return await ops.insert(tx, { ...columns, ...place, announce_at })
  },
})

interface Unlocking {
  readonly unlock_at?: string | null | undefined
  readonly unlock_after_days?: number | null | undefined
}

interface UnlockingNow {
  /** By the clock of the database, which reminders use. */
  readonly now: Date
  readonly was_open: boolean
}

async function unlockingNow(tx: SchoolTx, lecture: string | null = null): Promise<UnlockingNow> {
  const { rows } = await tx.run(sql<UnlockingNow>`
    select now() as now, coalesce((
      select unlock_after_days is null and (unlock_at is null or unlock_at <= now())
      from lectures where school_id = ${tx.schoolId} and id = ${lecture}), false) as was_open`)
  return rows[0] ?? { now: new Date(), was_open: false }
}

/**
 * When students are told that a lecture is open: at its date, or now if it was not open before.
 * One that opens for each at another time is told to none; undefined leaves the time as it is.
 */
function announceAt({ unlock_at, unlock_after_days }: Unlocking, { now, was_open }: UnlockingNow) {
  if (unlock_after_days != null) return null
  if (unlock_at != null && Date.parse(unlock_at) > now.getTime()) return unlock_at
  return was_open ? undefined : now
}

export const changeLecture = ops.change({
  summary:
    'Changes the given fields. Setting one of unlock_after_days and unlock_at clears the other unless both are given.',
  examples: [
    { title: 'Open at a date', input: { id: EXAMPLE.lecture, unlock_at: '2027-03-01T09:00:00Z' } },
    { title: 'A free preview', input: { id: EXAMPLE.lecture, is_preview: true } },
  ],
  async change(tx, _caller, { id: lecture, if_version, ...columns }) {
    completeLecture(columns)
    checkRow(lectureRules, columns)
    const isUnlocking = 'unlock_at' in columns || 'unlock_after_days' in columns
    const announced = isUnlocking
      ? { announce_at: announceAt(columns, await unlockingNow(tx, lecture)) }
      : {}
    await ops.update(tx, { id: lecture, if_version }, { ...columns, ...announced })
  },
})

export const removeLecture = ops.remove({
  summary: 'Removes a lecture and the students’ progress in it.',
  examples: [{ title: 'Remove a lecture', input: { id: EXAMPLE.secondLecture } }],
})

export const lectureOperations = {
  list: listLectures,
  read: readLecture,
  create: createLecture,
  change: changeLecture,
  remove: removeLecture,
}
