import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { filterFields } from '../bulk/bulk-operations.ts'
import { startExport } from '../bulk/export-job.ts'
import { guessColumns, type Heading, MOST_HEADINGS } from '../bulk/file-headings.ts'
import { startImport } from '../bulk/import-job.ts'
import type { BulkKind, ExportKind } from '../bulk/kind.ts'
import { type ColumnNames, FORMATS } from '../bulk/row-reader.ts'
import { takeSource } from '../jobs/job-file.ts'
import { jobSchema, jobs } from '../jobs/job-operations.ts'
import { startJob } from '../jobs/start-job.ts'
import { id as idField } from '../operation/fields.ts'
import type { ListOperation } from '../operation/list-operation.ts'
import type { WriteOperation } from '../operation/operation.ts'
import { conflict, invalid, judgeInput, OperationRefused } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { unscopedWrite } from '../operation/writing.ts'
import { rememberColumns, rememberedColumns } from '../schools/write-school.ts'
import { BULK_KINDS, EXPORT_KINDS } from './bulk-kinds.ts'
import { CHECK, type CheckInput, checkJob } from './check-job.ts'

/** What apps may export, with a scope. */
const forApps = EXPORT_KINDS.filter(({ scopes }) => scopes.read !== undefined)
/** What the admin area imports: what can be created there. */
const importable = BULK_KINDS.filter(({ notInAdmin }) => notInAdmin === undefined)

const namesOf = (kinds: readonly ExportKind[]) => z.enum(kinds.map(({ name }) => name))

/** What the admin area exports and imports. */
export const EXPORTED = namesOf(EXPORT_KINDS).options
export const IMPORTED = namesOf(importable).options

function named<K extends ExportKind>(kinds: readonly K[], name: string): K {
  const found = kinds.find((kind) => kind.name === name)
  if (found === undefined) throw new Error(`${name} is no kind of rows`)
  return found
}

const kindOf = (name: string): BulkKind => named(BULK_KINDS, name)

const fileFormat = z.enum(FORMATS).default('csv')

const exported = z.strictObject({ resource: namesOf(forApps), format: fileFormat })

/** Starts an export by a tool. The resource decides which scope a token needs. */
export const startExportJob: WriteOperation<typeof exported, typeof jobSchema> = {
  name: 'exports.start',
  title: 'Start an export',
  summary:
    'Writes all objects of a kind to a file. Answers with a job; when it is done, its file_url has the file, for the same person and client.',
  needsProof: () => true,
  kind: 'create',
  scopes: [],
  judgesScopes: true,
  extraScopes: ({ resource }) => [kindOf(resource).scopes.read ?? ''],
  input: exported,
  output: jobSchema,
  restPath: jobs.restPath,
  examples: [{ title: 'Students', input: { resource: 'students' } }],
  async run(tx, actor, { resource, format }) {
    const job = await startExport(tx, actor, kindOf(resource), { format })
    return await loadObject(tx, actor, jobs, job)
  },
  // The job writes the entry when it ends.
  audit: () => [],
}

/** Any of them lets a token export something. */
export const EXPORT_SCOPES = forApps.flatMap(({ scopes }) => scopes.read ?? [])

type List = Pick<ListOperation, 'name' | 'of' | 'filters'>

/** The kind of rows that a list shows, if they can be exported as the list is narrowed. */
export function exportedBy(list: List): string | undefined {
  return EXPORT_KINDS.find(({ list: own }) => own !== undefined && isListedBy(own, list))?.name
}

/**
 * The kind of rows that a list shows, if they can be imported and a row can name what they belong
 * to.
 */
export function importedBy(list: List, within: readonly string[]): string | undefined {
  return importable.find(
    ({ list: own, columns }) =>
      own !== undefined &&
      isListedBy(own, list) &&
      within.every((name) => Object.hasOwn(columns, name)),
  )?.name
}

/**
 * The list of a kind, or one of the same objects with no other filters: the courses of one student.
 */
function isListedBy(own: List, list: List): boolean {
  if (own.name === list.name) return true
  return own.of === list.of && Object.keys(list.filters).every((name) => name in own.filters)
}

/** The columns that an import of a kind takes. */
export function columnsFor(resource: string): readonly string[] {
  return Object.keys(kindOf(resource).columns)
}

/** Those of them that several headings may be chosen for. */
export function joinedColumnsFor(resource: string): readonly string[] {
  const { columns } = kindOf(resource)
  return Object.keys(columns).filter((name) => columns[name]?.joins === true)
}

/** Exports what a list of the admin area shows. */
export const exportList = unscopedWrite({
  name: 'exports.start_list',
  title: 'Export a list',
  summary: 'Writes the rows of a list to a file.',
  needsProof: () => true,
  kind: 'create',
  input: z.strictObject({
    resource: namesOf(EXPORT_KINDS),
    format: fileFormat,
    only: z.record(z.string(), z.unknown()).default({}),
  }),
  output: jobSchema,
  async run(tx, actor: Actor, { resource, format, only }) {
    const kind = named(EXPORT_KINDS, resource)
    const judged = judgeInput(z.strictObject(filterFields(kind)).partial(), only)
    if (judged.problems !== undefined) {
      throw new OperationRefused({ kind: 'invalid', problems: judged.problems })
    }
    const job = await startExport(tx, actor, kind, { format, only: judged.data })
    return await loadObject(tx, actor, jobs, job)
  },
  audit: () => [],
})

const columnNames = z
  .record(z.string().max(1000), z.string().max(100))
  .refine((names) => Object.keys(names).length <= MOST_HEADINGS)

/** What rows belong to that do not name another object: a list of one course gives its id. */
const belonging = z.record(z.string().max(100), idField).default({})

/**
 * The columns for the headings of a stored file: those of the last file, or by what the headings
 * say.
 */
export async function columnsOfFile(
  db: SchoolDb,
  resource: string,
  headings: readonly Heading[],
): Promise<ColumnNames> {
  return guessColumns(kindOf(resource), headings, await rememberedColumns(db, resource))
}

/**
 * Checks a file before an import. Only our own code may call it, after it stored the bytes: a
 * person must not choose the key of the file.
 */
export const checkImport = unscopedWrite({
  name: CHECK,
  title: 'Check a file',
  summary: 'Says what an import of a file would do.',
  needsProof: () => true,
  kind: 'create',
  input: z.strictObject({
    id: idField,
    resource: namesOf(importable),
    format: z.enum(FORMATS),
    source: z.string(),
    columns: columnNames,
    within: belonging,
  }),
  output: jobSchema,
  async run(tx, actor: Actor, { id, ...input }) {
    const { columns } = kindOf(input.resource)
    if (Object.keys(input.within).some((name) => !Object.hasOwn(columns, name))) {
      throw invalid('within', 'unknown_field', 'These rows cannot belong to that.')
    }
    await startCheck(tx, actor, id, input)
    return await loadObject(tx, actor, jobs, id)
  },
  audit: () => [],
})

const started = z.strictObject({ job_id: idField })

/** Checks the same file with other columns. */
export const recheckImport = unscopedWrite({
  name: 'imports.recheck',
  title: 'Check again',
  summary: 'Checks the file again with these columns, and keeps them for the next file.',
  needsProof: () => true,
  kind: 'create',
  input: z.strictObject({ id: idField, columns: columnNames }),
  output: started,
  async run(tx, actor: Actor, { id, columns }) {
    const { resource, source, format, within } = await takeChecked(tx, actor, id)
    const known = kindOf(resource).columns
    const wrong = Object.values(columns).find((name) => name !== '' && !Object.hasOwn(known, name))
    if (wrong !== undefined) throw invalid('columns', 'unknown_field', 'There is no such column.')
    const job_id = uuidv7()
    const input = { resource, source, format, columns, within, is_chosen: true }
    await startCheck(tx, actor, job_id, input)
    return { job_id }
  },
  audit: () => [],
})

const UNREADABLE =
  'No row of this file can be read with the columns that are chosen. Choose others and check it again.'

/** Refused rows that the file of an import tells; the others are counted. */
const TOLD_ERRORS = 1000

/** Imports a file that was checked. */
export const importChecked = unscopedWrite({
  name: 'imports.start',
  title: 'Import these rows',
  summary: 'Creates and changes the objects of the file. Rows that are wrong are left out.',
  needsProof: () => true,
  kind: 'create',
  input: z.strictObject({ id: idField }),
  output: started,
  async run(tx, actor: Actor, { id }) {
    const { resource, rows, isUnreadable, ...file } = await takeChecked(tx, actor, id)
    if (isUnreadable) throw conflict('wrong_state', UNREADABLE)
    await rememberColumns(tx, resource, file.columns)
    const job_id = uuidv7()
    const input = { ...file, kept_errors: TOLD_ERRORS, rows }
    await startImport(tx, actor, kindOf(resource), job_id, input)
    return { job_id }
  },
  audit: () => [],
})

const checkInput = z.object({
  resource: namesOf(importable),
  source: z.string(),
  format: z.enum(FORMATS),
  columns: columnNames,
  within: belonging,
})

const answered = z.looseObject({
  file_rows: z.int().optional(),
  heading_problems: z.array(z.unknown()).optional(),
})

interface CheckedFile extends CheckInput {
  readonly rows: number | undefined
  /** Whether the headings have problems. */
  readonly isUnreadable: boolean
}

async function takeChecked(tx: SchoolTx, actor: Actor, id: string): Promise<CheckedFile> {
  const { input, result } = await takeSource(tx, actor, CHECK, id)
  const { file_rows: rows, heading_problems } = answered.parse(result)
  return { ...checkInput.parse(input), rows, isUnreadable: heading_problems !== undefined }
}

async function startCheck(
  tx: SchoolTx,
  actor: Actor,
  id: string,
  input: CheckInput,
): Promise<void> {
  const title = `Check of ${input.resource.replaceAll('-', ' ')} before an import`
  await startJob(tx, actor, checkJob, { id, input, title })
}
