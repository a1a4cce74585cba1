import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { id, ifVersion, text, version } from '../operation/fields.ts'
import type { ReadOperation, WriteOperation } from '../operation/operation.ts'
import { invalid, stale } from '../operation/refusal.ts'

const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/, 'Write a color as # and six lower-case hexadecimal digits.')

const fields = {
  primary_color: color,
  accent_color: color,
  tagline: text(0, 300),
  logo_file_id: id.nullable().meta({ description: 'An uploaded PNG, JPEG or WebP image.' }),
}

const appearanceSchema = z
  .strictObject({ object: z.literal('appearance'), ...fields, version })
  .meta({ id: 'Appearance' })

/** Image formats that cannot contain a script, unlike SVG. */
const PICTURES = ['image/png', 'image/jpeg', 'image/webp']

const REST_PATH = '/appearance'

const nothing = z.strictObject({})

export const readAppearance: ReadOperation<typeof nothing, typeof appearanceSchema> = {
  name: 'appearance.read',
  title: 'Read the appearance',
  summary: 'Colors, tagline and logo of the school’s pages.',
  scopes: ['appearance:read'],
  kind: 'read',
  input: nothing,
  output: appearanceSchema,
  restPath: REST_PATH,
  examples: [{ title: 'The appearance', input: {} }],
  run: loadAppearance,
}

const DEFAULTS = {
  primary_color: '#1f4b99',
  accent_color: '#0f766e',
  tagline: '',
  logo_file_id: null,
}

const changesInput = z.strictObject({ ...z.object(fields).partial().shape, if_version: ifVersion })

export const changeAppearance: WriteOperation<typeof changesInput, typeof appearanceSchema> = {
  name: 'appearance.change',
  title: 'Change the appearance',
  summary: 'Changes the given fields. Every page of the school shows the change at once.',
  scopes: ['appearance:write'],
  kind: 'change',
  changesSchool: true,
  input: changesInput,
  output: appearanceSchema,
  restPath: REST_PATH,
  examples: [{ title: 'Another color', input: { primary_color: '#7c2d12' } }],
  before: loadAppearance,
  async run(tx, _caller, { if_version, ...changes }) {
    await tx.run(sql`
      insert into appearances (school_id) values (${tx.schoolId}) on conflict (school_id) do nothing`)
    const { rows } = await tx.run(sql<{ version: number }>`
      select version from appearances where school_id = ${tx.schoolId} for update`)
    const current = rows[0]?.version ?? 0
    if (if_version !== undefined && if_version !== current) throw stale(current)
    if (typeof changes.logo_file_id === 'string') await checkPicture(tx, changes.logo_file_id)
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    if (given.length > 0) {
      const assignments = given.map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
      await tx.run(sql`
        update appearances set ${sql.join(assignments)} where school_id = ${tx.schoolId}`)
    }
    const changed = await findAppearance(tx)
    if (changed === undefined) throw new Error('the appearance vanished while it was changed')
    return changed
  },
}

/** A school that never changed its appearance has no row: it gets the defaults. */
async function loadAppearance(db: SchoolDb): Promise<z.output<typeof appearanceSchema>> {
  return (await findAppearance(db)) ?? { object: 'appearance', ...DEFAULTS, version: 1 }
}

async function findAppearance(
  db: SchoolDb,
): Promise<z.output<typeof appearanceSchema> | undefined> {
  const { rows } = await db.run(sql<z.output<typeof appearanceSchema>>`
    select 'appearance' as object, primary_color, accent_color, tagline, logo_file_id, version
    from appearances where school_id = ${db.schoolId}`)
  return rows[0]
}

async function checkPicture(tx: SchoolTx, file: string): Promise<void> {
  const { rows } = await tx.run(sql<{ content_type: string }>`
    select content_type from files where school_id = ${tx.schoolId} and id = ${file}`)
  const [found] = rows
  if (found === undefined) {
    throw invalid('logo_file_id', 'unknown_reference', 'There is no file with this id here.')
  }
  if (!PICTURES.includes(found.content_type)) {
    throw invalid('logo_file_id', 'wrong_format', 'Use a PNG, JPEG or WebP image as the logo.')
  }
}

export const appearanceOperations = {
  read: readAppearance,
  change: changeAppearance,
}
