import { exportOperation, importOperation } from '../../domain/bulk/bulk-operations.ts'
import { exportedColumns } from '../../domain/bulk/export-job.ts'
import type { BulkKind } from '../../domain/bulk/kind.ts'
import { BULK_KINDS } from '../../domain/catalogue/bulk-kinds.ts'
import { csvLine } from '../../foundation/tabular/csv-reader.ts'
import type { DescribedRoute, RowFiles } from './route.ts'

export interface BulkRoute extends DescribedRoute {
  readonly rows: RowFiles
  readonly kind: BulkKind
}

/** Every address of the REST API that imports or exports a file of rows. */
export const BULK_ROUTES: readonly BulkRoute[] = BULK_KINDS.flatMap((kind) => [
  ...exportRoute(kind),
  ...importRoute(kind),
])

function exportRoute(kind: BulkKind): BulkRoute[] {
  if (kind.scopes.read === undefined) return []
  const columns = exportedColumns(kind)
  return [
    {
      method: 'GET',
      path: `/${kind.name}/export`,
      operation: exportOperation(kind, kind.scopes.read),
      kind,
      rows: {
        file: `${kind.name}.csv`,
        content: {
          'application/x-ndjson': {
            schema: {
              type: 'string',
              contentMediaType: 'application/json',
              description: `One ${kind.of.schema.meta()?.id} as JSON on each line.`,
            },
          },
          'text/csv': {
            schema: {
              type: 'string',
              description: `The columns ${columns.join(', ')}; lists and objects as JSON.`,
            },
          },
        },
      },
    },
  ]
}

function importRoute(kind: BulkKind): BulkRoute[] {
  if (kind.scopes.write === undefined) return []
  const columns = Object.keys(kind.columns)
  const { example } = kind
  const cells = Object.values(example).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  )
  return [
    {
      method: 'POST',
      path: `/${kind.name}/import`,
      operation: importOperation(kind, kind.scopes.write),
      kind,
      fileWith: ['dry_run', 'from_line', 'max_errors'],
      rows: {
        file: `${kind.name}.csv`,
        content: {
          'application/x-ndjson': {
            schema: {
              type: 'string',
              description: `One JSON object on each line, with any of ${columns.join(', ')}. All other members of the object are ignored, so that an export can be imported unchanged.`,
            },
            example: `${JSON.stringify(example)}\n`,
          },
          'text/csv': {
            schema: {
              type: 'string',
              description: `The first line names the columns. An empty cell is null if null is possible, otherwise it is ignored; "" is the empty text; lists and objects are JSON.`,
            },
            example: csvLine(Object.keys(example)) + csvLine(cells),
          },
        },
      },
    },
  ]
}
