import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { currency, email, id, ifVersion, line, stamps, text } from '../operation/fields.ts'
import { OperationRefused, stale } from '../operation/refusal.ts'
import { wireValue } from '../operation/resource.ts'
import type { ReadOperation, WriteOperation } from '../operation.ts'
import { changeSchool as changeSchoolRow } from './manage-school.ts'

/** What an app may change. Address, variant and who may connect are for the command line and the admin area. */
const fields = {
  name: line(200),
  description: text(0, 5000),
  contact_email: email.nullable(),
  locale: z
    .string()
    .max(40)
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'Write a language tag such as en or pt-BR.'),
  time_zone: text(1, 64),
  currency: currency.meta({ description: 'What new prices are in; existing ones stay.' }),
}

const schoolSchema = z
  .strictObject({
    object: z.literal('school'),
    id,
    subdomain: z.string(),
    url: z.string(),
    ...fields,
    ...stamps,
  })
  .meta({ id: 'School' })

const nothing = z.strictObject({})

export const readSchool: ReadOperation<typeof nothing, typeof schoolSchema> = {
  name: 'school.read',
  title: 'Read the school',
  summary: 'The school whose address was called.',
  scopes: ['school:read'],
  kind: 'read',
  input: nothing,
  output: schoolSchema,
  examples: [{ title: 'This school', input: {} }],
  run: (at) => loadSchool(at),
}

const changes = z.strictObject({ ...z.object(fields).partial().shape, if_version: ifVersion })

export const changeSchool: WriteOperation<typeof changes, typeof schoolSchema> = {
  name: 'school.change',
  title: 'Change the school',
  summary: 'Changes what is given and leaves the rest.',
  scopes: ['school:write'],
  kind: 'change',
  input: changes,
  output: schoolSchema,
  examples: [{ title: 'Another time zone', input: { time_zone: 'Asia/Taipei' } }],
  async run(tx, caller, { if_version, contact_email, time_zone, ...rest }) {
    await checkSchoolVersion(tx, if_version)
    const outcome = await changeSchoolRow(
      tx,
      {
        ...rest,
        ...(contact_email === undefined ? {} : { contactEmail: contact_email }),
        ...(time_zone === undefined ? {} : { timeZone: time_zone }),
      },
      caller,
    )
    if (outcome.kind === 'invalid') {
      const problems = outcome.problems.map(({ field, problem }) => ({
        pointer: `/${WIRE_NAMES[field] ?? field}`,
        code: 'invalid',
        detail: problem,
      }))
      throw new OperationRefused({ kind: 'invalid', problems })
    }
    return await loadSchool(tx)
  },
}

const WIRE_NAMES: Readonly<Record<string, string>> = {
  contactEmail: 'contact_email',
  timeZone: 'time_zone',
}

async function loadSchool(at: SchoolDb): Promise<z.output<typeof schoolSchema>> {
  const { rows } = await at.run(sql<Record<string, unknown>>`
    select 'school' as object, s.id, s.subdomain, s.origin as url, s.name, s.description,
      s.contact_email, s.locale, s.time_zone, s.currency, s.created_at, s.updated_at, s.version
    from schools s where s.id = ${at.schoolId}`)
  const members = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, wireValue(value)])
  return Object.fromEntries(members)
}

async function checkSchoolVersion(tx: SchoolTx, wanted: number | undefined): Promise<void> {
  const { rows } = await tx.run(sql<{ version: number }>`
    select version from schools where id = ${tx.schoolId} for no key update`)
  const version = rows[0]?.version ?? 0
  if (wanted !== undefined && wanted !== version) throw stale(version)
}
