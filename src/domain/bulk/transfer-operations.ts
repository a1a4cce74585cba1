import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { jobSchema, jobs } from '../jobs/job-operations.ts'
import { startJob } from '../jobs/start-job.ts'
import { takeSource } from '../jobs/take-source.ts'
import { id as idField } from '../operation/fields.ts'
import { judgeInput } from '../operation/input-problems.ts'
import { invalid, OperationRefused } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import type { WriteOperation } from '../operation.ts'
import { rememberColumns, rememberedColumns } from '../schools/import-columns.ts'
import { filterFields } from './bulk-operations.ts'
import { CHECK, type CheckInput, checkJob } from './check-job.ts'
import { startExport } from './export-job.ts'
import { guessColumns, type Heading, MOST_HEADINGS } from './file-headings.ts'
import { startImport } from './import-job.ts'
import type { BulkKind } from './kind.ts'
import { BULK_KINDS } from './kinds.ts'
import { type ColumnNames, FORMATS } from './row-reader.ts'

/** What apps may export or import too, with a scope. The rest is for the command line. */
const exportable = BULK_KINDS.filter(({ scopes }) => scopes.read !== undefined)
const importable = BULK_KINDS.filter(({ scopes }) => scopes.write !== undefined)

const namesOf = (kinds: readonly BulkKind[]) => z.enum(kinds.map(({ name }) => name))

export const EXPORTED = namesOf(exportable).options
export const IMPORTED = namesOf(importable).options

const kindOf = (name: string): BulkKind => {
  const found = BULK_KINDS.find((kind) => kind.name === name)
  if (found === undefined) throw new Error(`${name} is no kind of rows`)
  return found
}

const exported = z.strictObject({
  resource: namesOf(exportable),
  format: z.enum(FORMATS).default('csv'),
})

/** Starts an export, in the admin area or by a tool. The resource decides which scope a token needs. */
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
export const EXPORT_SCOPES = exportable.flatMap(({ scopes }) => scopes.read ?? [])

/** The kind of rows that a list shows, if they can be exported. */
export function exportedBy(list: { readonly name: string }): string | undefined {
  return exportable.find((kind) => kind.list?.name === list.name)?.name
}

/** The same, if they can be imported. */
export function importedBy(list: { readonly name: string }): string | undefined {
  return importable.find((kind) => kind.list?.name === list.name)?.name
}

/** The columns that an import of a kind takes. */
export function columnsFor(resource: string): readonly string[] {
  return Object.keys(kindOf(resource).columns)
}

/** Exports what a list of the admin area shows. */
export const exportList = unscopedWrite({
  name: 'exports.start_list',
  title: 'Export a list',
  summary: 'Writes the rows of a list to a file.',
  needsProof: () => true,
  kind: 'create',
  input: z.strictObject({
    ...exported.shape,
    only: z.record(z.string(), z.unknown()).default({}),
  }),
  output: jobSchema,
  async run(tx, actor: Actor, { resource, format, only }) {
    const kind = kindOf(resource)
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

/** The columns for the headings of a stored file: those of the last file, or by what the headings say. */
export async function columnsOfFile(
  at: SchoolDb,
  resource: string,
  headings: readonly Heading[],
): Promise<ColumnNames> {
  return guessColumns(kindOf(resource), headings, await rememberedColumns(at, resource))
}

/**
 * Checks a file before an import. Only our own code may call it, after it stored the bytes: a person must not choose
 * the key of the file.
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
  }),
  output: jobSchema,
  async run(tx, actor: Actor, { id, ...input }) {
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
    const { resource, source, format } = await takeChecked(tx, actor, id)
    const known = kindOf(resource).columns
    const wrong = Object.values(columns).find((name) => name !== '' && !Object.hasOwn(known, name))
    if (wrong !== undefined) throw invalid('columns', 'unknown_field', 'There is no such column.')
    const job_id = uuidv7()
    await startCheck(tx, actor, job_id, { resource, source, format, columns, is_chosen: true })
    return { job_id }
  },
  audit: () => [],
})

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
    const { resource, source, format, columns, rows } = await takeChecked(tx, actor, id)
    await rememberColumns(tx, resource, columns)
    const job_id = uuidv7()
    const input = { source, format, columns, kept_errors: TOLD_ERRORS, rows }
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
})

const counted = z.looseObject({ file_rows: z.int().optional() })

async function takeChecked(
  tx: SchoolTx,
  actor: Actor,
  id: string,
): Promise<CheckInput & { readonly rows?: number | undefined }> {
  const { input, result } = await takeSource(tx, actor, CHECK, id)
  return { ...checkInput.parse(input), rows: counted.safeParse(result).data?.file_rows }
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
