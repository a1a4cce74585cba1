import { z } from 'zod'
import type { Actor } from '../actor.ts'
import { jobSchema, jobs } from '../jobs/job-operations.ts'
import { id as idField } from '../operation/fields.ts'
import { loadObject } from '../operation/resource.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import type { WriteOperation } from '../operation.ts'
import { startExport } from './export-job.ts'
import { startImport } from './import-job.ts'
import type { BulkKind } from './kind.ts'
import { BULK_KINDS } from './kinds.ts'
import { FORMATS } from './row-reader.ts'

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

/**
 * Starts an import in the admin area. Only our own code may call it, after it stored the bytes: a person must not
 * choose the key of the file.
 */
export const startImportJob = unscopedWrite({
  name: 'imports.start',
  title: 'Start an import',
  summary: 'Creates and changes the objects of a file.',
  kind: 'create',
  input: z.strictObject({
    id: idField,
    resource: namesOf(importable),
    format: z.enum(FORMATS),
    source: z.string(),
  }),
  output: jobSchema,
  async run(tx, actor: Actor, { id, resource, format, source }) {
    await startImport(tx, actor, kindOf(resource), id, { format, source })
    return await loadObject(tx, actor, jobs, id)
  },
  audit: () => [],
})
