import { z } from 'zod'
import { count, id } from '../operation/fields.ts'
import type { DescribedOperation } from '../operation/operation.ts'
import { readScopesOf } from '../operation/write-answer.ts'
import { DEFAULT_MAX_ERRORS, type ImportSummary } from './import-rows.ts'
import type { BulkKind, ExportKind } from './kind.ts'
import { FORMATS } from './row-reader.ts'

/** The import and export of a kind as operations, for the REST API and the command line. */

export function exportOperation(kind: BulkKind, scope: string): DescribedOperation {
  return {
    name: `${nameOf(kind)}.export`,
    title: `Export ${wordsOf(kind)}`,
    summary: `Exports all objects, or those that match the filters, as a file with one object per row, in the order of ${kind.key.join(', ')}. To continue after an interruption, pass the ${kind.key.join(', ')} of the last complete row as after.`,
    kind: 'read',
    scopes: [scope],
    input: z.strictObject({
      format: z.enum(FORMATS).default('ndjson'),
      after: z
        .string()
        .max(200)
        .optional()
        .meta({ description: `Only rows after the row with this ${kind.key.join(',')}.` }),
      ...filterFields(kind),
    }),
    output: kind.of.schema,
    examples: [{ title: 'As CSV', input: { format: 'csv' } }],
  }
}

/** The filters of the list, by their names. */
export function filterFields(kind: ExportKind): Readonly<Record<string, z.ZodType>> {
  const filters = Object.entries(kind.list?.filters ?? {})
  return Object.fromEntries(filters.map(([name, { schema }]) => [name, schema]))
}

const failedRow = z.strictObject({
  line: count.meta({ description: 'The line of the file where the row begins, counted from 1.' }),
  errors: z.array(
    z.strictObject({
      pointer: z.string().meta({ description: 'The column, as a JSON pointer.' }),
      code: z.string(),
      detail: z.string(),
      minimum: z.int().optional(),
      maximum: z.int().optional(),
    }),
  ),
})

export const importSchema = z
  .strictObject({
    object: z.literal('import'),
    id: id.meta({ description: 'The id of the import in the audit log.' }),
    resource: z.string(),
    dry_run: z.boolean(),
    complete: z.boolean().meta({
      description:
        'False if it ended early: too many rows were refused, or the file was incomplete.',
    }),
    next_line: count.meta({ description: 'Pass it as from_line to continue.' }),
    rows: count,
    created: count,
    updated: count,
    unchanged: count,
    failed: count,
    errors: z.array(failedRow),
  })
  .meta({ id: 'Import' })

export function importOperation(kind: BulkKind, scope: string): DescribedOperation {
  const read = readScopesOf([scope])
  return {
    name: `${nameOf(kind)}.import`,
    title: `Import ${wordsOf(kind)}`,
    summary: `Creates and changes many objects at once. A row names its object by ${kind.named}; columns that it leaves out stay unchanged. Invalid rows are reported with their line, and all others are imported. Importing the same file again changes nothing, so an interrupted import is continued by sending the file again.`,
    kind: 'change',
    // Not how many were created or unchanged: rows with guessed values would read the objects.
    creates: ['resource', 'dry_run', 'complete', 'next_line', 'rows', 'failed', 'errors'],
    scopes: [scope],
    // A dry run leaves no trace, and its refusals of guessed rows tell what exists: it is a read.
    extraScopes: ({ dry_run }) => (dry_run === true ? read : []),
    input: z.strictObject({
      dry_run: z
        .boolean()
        .optional()
        .meta({ description: `Check every row and write none. Also needs ${read.join(', ')}.` }),
      from_line: z
        .int()
        .min(1)
        .max(1_000_000_000)
        .optional()
        .meta({ description: 'Skip rows that begin on earlier lines.' }),
      max_errors: z
        .int()
        .min(1)
        .max(10_000)
        .default(DEFAULT_MAX_ERRORS)
        .meta({ description: 'Stop soon after this many rows were refused.' }),
    }),
    output: importSchema,
    examples: [{ title: 'A dry run', input: { dry_run: true } }],
  }
}

/** The result of an import as the REST API answers it. */
export function importObject(
  kind: BulkKind,
  dryRun: boolean,
  {
    id: made,
    complete,
    nextLine,
    errors,
    rows,
    created,
    updated,
    unchanged,
    failed,
  }: ImportSummary,
): z.output<typeof importSchema> {
  return {
    object: 'import',
    id: made,
    resource: kind.name,
    dry_run: dryRun,
    complete,
    next_line: nextLine,
    rows,
    created,
    updated,
    unchanged,
    failed,
    errors: errors.map(({ line, errors: problems }) => ({ line, errors: [...problems] })),
  }
}

function nameOf({ name }: BulkKind): string {
  return name.replaceAll('-', '_')
}

function wordsOf({ name }: BulkKind): string {
  return name.replaceAll('-', ' ')
}
