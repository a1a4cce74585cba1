import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { id, ifVersion, stamps } from '../operation/fields.ts'
import type { ReadOperation, WriteOperation } from '../operation/operation.ts'
import { stale } from '../operation/refusal.ts'
import { wireValue } from '../operation/resource.ts'
import { unscopedWrite } from '../operation/writing.ts'
import { publicFields, type SchoolChanges, schoolChanges } from './school-details.ts'
import { writeSchool } from './write-school.ts'

const schoolSchema = z
  .strictObject({
    object: z.literal('school'),
    id,
    subdomain: z.string(),
    url: z.string(),
    ...publicFields,
    ...stamps,
  })
  .meta({ id: 'School' })

const REST_PATH = '/school'

const nothing = z.strictObject({})

export const readSchool: ReadOperation<typeof nothing, typeof schoolSchema> = {
  name: 'school.read',
  title: 'Read the school',
  summary: 'The school whose address the request was sent to.',
  scopes: ['school:read'],
  kind: 'read',
  input: nothing,
  output: schoolSchema,
  restPath: REST_PATH,
  examples: [{ title: 'This school', input: {} }],
  run: (db) => loadSchool(db),
}

const changes = z.strictObject({ ...z.object(publicFields).partial().shape, if_version: ifVersion })

export const changeSchool: WriteOperation<typeof changes, typeof schoolSchema> = {
  name: 'school.change',
  title: 'Change the school',
  summary: 'Changes the given fields; all others stay unchanged.',
  scopes: ['school:write'],
  kind: 'change',
  changesSchool: true,
  input: changes,
  output: schoolSchema,
  restPath: REST_PATH,
  examples: [{ title: 'Another time zone', input: { time_zone: 'Asia/Taipei' } }],
  async run(tx, caller, { if_version, ...given }) {
    await checkSchoolVersion(tx, if_version)
    await writeSchool(tx, caller, given)
    return await loadSchool(tx)
  },
}

async function loadSchool(db: SchoolDb): Promise<z.output<typeof schoolSchema>> {
  const { rows } = await db.run(sql<Record<string, unknown>>`
    select 'school' as object, s.id, s.subdomain, s.origin as url, s.name, s.description,
      s.contact_email, s.locale, s.time_zone, s.currency, s.created_at, s.updated_at, s.version
    from schools s where s.id = ${db.schoolId}`)
  const members = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, wireValue(value)])
  return Object.fromEntries(members)
}

async function checkSchoolVersion(tx: SchoolTx, wanted: number | undefined): Promise<void> {
  const { rows } = await tx.run(sql<{ version: number }>`
    select version from schools where id = ${tx.schoolId} for no key update`)
  const version = rows[0]?.version ?? 0
  if (wanted !== undefined && wanted !== version) throw stale(version)
}

export const changeSettings = unscopedWrite({
  name: 'settings.change',
  title: 'Change the settings of the school',
  summary: 'Changes the given fields, address and connections included; all others stay unchanged.',
  needsProof: letsMoreIn,
  kind: 'change',
  changesSchool: true,
  input: schoolChanges,
  output: z.strictObject({ changed: z.array(z.string()) }),
  run: async (tx, actor, changes) => ({ changed: await writeSchool(tx, actor, changes) }),
  // writeSchool writes the entry, also for school.change.
  audit: () => [],
})

/**
 * Whether the changes let more people, apps or players of videos in, move the school, or end a
 * protection of what they hold.
 */
function letsMoreIn(changes: SchoolChanges): boolean {
  const { origin, subdomain, variant, document_hosts, video_hosts } = changes
  return (
    [origin, subdomain, variant, document_hosts, video_hosts].some((one) => one !== undefined) ||
    changes.sign_up === true ||
    changes.mcp_connections === true ||
    changes.open_registration === true ||
    changes.end_authorization_on_replay === false
  )
}

export const schoolOperations = {
  read: readSchool,
  change: changeSchool,
}
