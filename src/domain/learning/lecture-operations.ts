import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { keepRendered } from '../content/rendered-texts.ts'
import { dateOrNull, id } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { loadObject } from '../operation/resource.ts'
import { checkRow } from '../operation/row-rules.ts'
import { writing } from '../operation/writing.ts'
import {
  completeLecture,
  LECTURE_KINDS,
  lectureFields,
  lectureRules,
  lectures,
  sections,
} from './curriculum-resource.ts'
import { lockCourse } from './section-operations.ts'

const READ = ['curriculum:read']
const WRITE = ['curriculum:write']

export const listLectures = listOperation({
  name: 'lectures.list',
  title: 'List the lectures of a section',
  summary: 'The lectures, in the order that students see.',
  scopes: READ,
  of: lectures,
  within: { section_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, sections, input.section_id),
  filters: { kind: filter(z.enum(LECTURE_KINDS), (kind) => sql`r.kind = ${kind}`) },
  sorts: { position: 'number', created_at: 'time' },
  defaultSort: 'position',
  examples: [{ title: 'The lectures of a section', input: { section_id: EXAMPLE.section } }],
})

export const readLecture = readOperation({
  name: 'lectures.read',
  title: 'Read a lecture',
  summary: 'One lecture by its id.',
  scopes: READ,
  of: lectures,
  examples: [{ title: 'A lecture', input: { id: EXAMPLE.lecture } }],
})

export const createLecture = createOperation({
  name: 'lectures.create',
  title: 'Create a lecture',
  summary: 'Adds a lecture at the end of a section.',
  scopes: WRITE,
  of: lectures,
  fields: {
    section_id: id,
    title: lectureFields.title,
    kind: lectureFields.kind.default('video'),
    body: lectureFields.body.default(''),
    video_url: lectureFields.video_url.default(null),
    file_id: lectureFields.file_id.default(null),
    duration_seconds: lectureFields.duration_seconds.default(0),
    is_preview: lectureFields.is_preview.default(false),
    unlock_after_days: lectureFields.unlock_after_days.default(null),
    unlock_at: lectureFields.unlock_at.default(null),
  },
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
    const made = uuidv7()
    const place = { id: made, course_id, section_id, position: rows[0]?.position ?? 0 }
    await tx
      .insert('lectures', { ...columns, ...place, unlock_at: dateOrNull(columns.unlock_at) })
      .execute()
    await keepRendered(tx, [{ id: made, text: columns.body }])
    return made
  },
})

const target = (lecture: string, ifVersion: number | undefined) => ({
  object: 'lecture',
  key: { id: lecture },
  ifVersion,
})

export const changeLecture = changeOperation({
  name: 'lectures.change',
  title: 'Change a lecture',
  summary:
    'Changes the given fields. Setting one of unlock_after_days and unlock_at clears the other unless both are given.',
  scopes: WRITE,
  of: lectures,
  fields: z.object(lectureFields).partial().shape,
  examples: [
    { title: 'Open at a date', input: { id: EXAMPLE.lecture, unlock_at: '2027-03-01T09:00:00Z' } },
    { title: 'A free preview', input: { id: EXAMPLE.lecture, is_preview: true } },
  ],
  async change(tx, _caller, { id: lecture, if_version, ...columns }) {
    completeLecture(columns)
    checkRow(lectureRules, columns)
    await writing(tx).update('lectures', target(lecture, if_version), columns)
    const { body: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: lecture, text }])
  },
})

export const removeLecture = removeOperation({
  name: 'lectures.remove',
  title: 'Remove a lecture',
  summary: 'Removes a lecture and the students’ progress in it.',
  scopes: WRITE,
  of: lectures,
  examples: [{ title: 'Remove a lecture', input: { id: EXAMPLE.secondLecture } }],
  async remove(tx, _caller, { id: lecture, if_version }) {
    await writing(tx).delete('lectures', target(lecture, if_version))
  },
})

export const lectureOperations = {
  list: listLectures,
  read: readLecture,
  create: createLecture,
  change: changeLecture,
  remove: removeLecture,
}
