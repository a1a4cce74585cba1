import { z } from 'zod'
import { count, id } from '../operation/fields.ts'
import type { DescribedOperation } from '../operation.ts'
import { DEFAULT_MAX_ERRORS, type ImportSummary } from './import-rows.ts'
import type { BulkKind } from './kind.ts'
import { FORMATS } from './row-reader.ts'

/** How importing and exporting a kind is described, wherever it is done. */

export function exportOperation(kind: BulkKind, scope: string): DescribedOperation {
  return {
    name: `${nameOf(kind)}.export`,
    title: `Export ${wordsOf(kind)}`,
    summary: `All of them, or those that filters let through, as a file, one to a row, in the order of ${kind.key.join(', ')}. To go on after an interruption pass the ${kind.key.join(', ')} of the last whole row as after.`,
    kind: 'read',
    scopes: [scope],
    input: z.strictObject({
      format: z.enum(FORMATS).default('ndjson'),
      after: z
        .string()
        .max(200)
        .optional()
        .meta({ description: `Only rows behind this one: its ${kind.key.join(',')}.` }),
      ...filterFields(kind),
    }),
    output: kind.of.schema,
    examples: [{ title: 'As CSV', input: { format: 'csv' } }],
  }
}

/** The filters of the list, by their names. */
export function filterFields(kind: BulkKind): Readonly<Record<string, z.ZodType>> {
  const filters = Object.entries(kind.list?.filters ?? {})
  return Object.fromEntries(filters.map(([name, { schema }]) => [name, schema]))
}

const failedRow = z.strictObject({
  line: count.meta({ description: 'Where in the file the row begins, counted from 1.' }),
  errors: z.array(
    z.strictObject({
      pointer: z.string().meta({ description: 'Which column, as a JSON pointer.' }),
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
    id: id.meta({ description: 'Under this the audit log speaks of it.' }),
    resource: z.string(),
    dry_run: z.boolean(),
    complete: z.boolean().meta({
      description: 'False if it ended early: too many rows were refused, or the file broke off.',
    }),
    next_line: count.meta({ description: 'Pass it as from_line to go on.' }),
    rows: count,
    created: count,
    updated: count,
    unchanged: count,
    failed: count,
    errors: z.array(failedRow),
  })
  .meta({ id: 'Import' })

export function importOperation(kind: BulkKind, scope: string): DescribedOperation {
  return {
    name: `${nameOf(kind)}.import`,
    title: `Import ${wordsOf(kind)}`,
    summary: `Makes and changes many at once. A row names its object by ${kind.named}; what it leaves out stays as it is. Rows that cannot be taken are refused by their line and the others are taken. The same file again changes nothing, so an import that was cut off is continued by sending it once more.`,
    kind: 'change',
    scopes: [scope],
    input: z.strictObject({
      dry_run: z.boolean().optional().meta({ description: 'Judge every row and write none.' }),
      from_line: z
        .int()
        .min(1)
        .max(1_000_000_000)
        .optional()
        .meta({ description: 'Pass over rows that begin on earlier lines.' }),
      max_errors: z
        .int()
        .min(1)
        .max(10_000)
        .default(DEFAULT_MAX_ERRORS)
        .meta({ description: 'End soon after so many rows were refused.' }),
    }),
    output: importSchema,
    examples: [{ title: 'A dry run', input: { dry_run: true } }],
  }
}

/** What an import has to say, as the wire has it. */
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
