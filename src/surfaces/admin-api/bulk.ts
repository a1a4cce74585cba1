import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../domain/actor/actor.ts'
import {
  exportOperation,
  importObject,
  importOperation,
} from '../../domain/bulk/bulk-operations.ts'
import {
  type ExportedRows,
  type ExportInput,
  exportedColumns,
  exportRows,
  startExport,
  TYPES,
} from '../../domain/bulk/export-job.ts'
import { type ImportInput, importScopes, startImport } from '../../domain/bulk/import-job.ts'
import { importRows } from '../../domain/bulk/import-rows.ts'
import type { BulkKind } from '../../domain/bulk/kind.ts'
import { type Format, HeadingError } from '../../domain/bulk/row-reader.ts'
import { BULK_KINDS } from '../../domain/catalogue/bulk-kinds.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import { noteScopes } from '../../domain/grants/count-activity.ts'
import { jobs } from '../../domain/jobs/job-operations.ts'
import { neededScopes, restPathOf, restUrl } from '../../domain/operation/operation.ts'
import { judgeInput, OperationRefused } from '../../domain/operation/refusal.ts'
import { loadObject } from '../../domain/operation/resource.ts'
import { writeAnswer } from '../../domain/operation/write-answer.ts'
import { Limiter, LimiterFull } from '../../foundation/concurrency/limiter.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { inLane, type SchoolTx } from '../../foundation/db/school-db.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { prefersAsync } from '../../foundation/http/conditional.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { whenGone } from '../../foundation/http/shutdown.ts'
import { type FileStore, FileTooLargeError } from '../../foundation/storage/file-store.ts'
import { csvLine } from '../../foundation/tabular/csv-reader.ts'
import { ImportPlace, inPieces, takeBody } from './import-body.ts'
import { Problem, problemOf, type RequestProblem } from './problem.ts'
import {
  apiActor,
  checkScopes,
  type DescribedRoute,
  planOf,
  queryOf,
  type RowFiles,
  routerPath,
  wrongParameters,
} from './route.ts'

interface BulkRoute extends DescribedRoute {
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

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** An import keeps a database connection busy, and other batch work needs connections too. */
const IMPORTS_AT_ONCE = 3
/**
 * Apart from imports, because a dry run keeps its connection while its sender is slow. Of three one
 * school gets two: of two it would get both.
 */
const DRY_RUNS_AT_ONCE = 3
/** Of one school. Of the body of an import that waits, one piece is in memory. */
const WAITING = 8
const WAIT_MS = 20_000

interface Places {
  readonly imports: Limiter
  readonly dryRuns: Limiter
}

/** The addresses that import or export files of rows, of any length. */
export function addBulkRoutes(
  scope: FastifyInstance,
  admit: (route: BulkRoute) => Admit,
  jobFiles: JobFiles | undefined,
): void {
  const line = { waiting: WAITING, waitMs: WAIT_MS }
  const places: Places = {
    imports: new Limiter({ running: IMPORTS_AT_ONCE, ...line }),
    dryRuns: new Limiter({ running: DRY_RUNS_AT_ONCE, ...line }),
  }
  scope.removeAllContentTypeParsers()
  const types = /^(application\/(x-)?ndjson|application\/jsonl|text\/csv)\b/
  scope.addContentTypeParser(types, (_request, body, done) => done(null, body))
  scope.addContentTypeParser('*', (_request, _body, done) => done(wrongType()))
  for (const route of BULK_ROUTES) {
    scope.route({
      method: route.method,
      url: routerPath(route.path),
      onRequest: admit(route),
      handler: (request, reply) =>
        route.method === 'GET'
          ? sendExport(request, reply, route, jobFiles)
          : takeImport(request, reply, route, places, jobFiles),
    })
  }
}

async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  route: BulkRoute,
  jobFiles: JobFiles | undefined,
): Promise<FastifyReply> {
  const { kind } = route
  const { format, after, ...only } = checkedQuery(request, route) as {
    format: Format
    after?: string
  }
  const viewer = apiActor(request, callerOf(request))
  noteScopes(request.schoolDb, viewer, neededScopes(route.operation))
  if (jobFiles !== undefined && request.method === 'GET' && prefersAsync(request.headers)) {
    return await exportAsJob(request, reply, viewer, kind, { format, after, only })
  }
  reply
    .headers(apiHeaders('no-store'))
    .header('vary', 'Authorization')
    .header('content-type', TYPES[format])
    .header('content-disposition', `attachment; filename="${kind.name}.${format}"`)
  const rows = exportRows(inLane(request.schoolDb, 'batch'), viewer, kind, { format, after, only })
  try {
    // Errors occur while the first page is read, when the status can still be changed.
    const first = await rows.next()
    if (request.method !== 'HEAD') return reply.send(Readable.from(textsOf(first, rows)))
    await rows.return()
    return reply.send('')
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error
    throw wrongParameters([
      { parameter: 'after', code: 'invalid', detail: `Write the ${kind.key.join(',')} of a row.` },
    ])
  }
}

async function* textsOf(
  first: IteratorResult<ExportedRows, void>,
  rest: AsyncGenerator<ExportedRows, void, void>,
): AsyncGenerator<string, void, void> {
  if (first.done !== true) yield first.value.text
  for await (const { text } of rest) yield text
}

async function takeImport(
  request: FastifyRequest,
  reply: FastifyReply,
  route: BulkRoute,
  { imports, dryRuns }: Places,
  jobFiles: JobFiles | undefined,
): Promise<FastifyReply> {
  const { kind } = route
  const query = checkedQuery(request, route)
  const { dry_run, from_line, max_errors } = query as ImportQuery
  const dryRun = dry_run === true
  const gone = whenGone(reply.raw)
  const place = new ImportPlace(dryRun ? dryRuns : imports, request.school.id, gone)
  const pieces = inPieces(bodyOf(request))
  try {
    const scopes = neededScopes(route.operation, query)
    checkScopes(callerOf(request), scopes)
    const caller = apiActor(request, callerOf(request))
    let isCounted = false
    // Once for an import, when its job has started or its first row was written: a refused file
    // changed nothing.
    const count = () => {
      if (!isCounted && !dryRun) noteScopes(request.schoolDb, caller, scopes)
      isCounted = true
    }
    if (jobFiles !== undefined && !dryRun && isImportJob(request, caller, kind)) {
      const input = { format: formatOf(request), from_line, max_errors }
      const answer = await importAsJob(request, reply, caller, kind, jobFiles, pieces, input)
      count()
      return answer
    }
    const body = await takeBody(pieces, place, dryRun)
    const summary = await importRows(inLane(request.schoolDb, 'batch'), caller, kind, body, {
      format: formatOf(request),
      dryRun,
      maxErrors: max_errors,
      fromLine: from_line,
      onProgress: ({ created, updated }) => {
        if (created + updated > 0) count()
      },
      // An import that runs beside others gets one connection.
      connections: imports.running === 1 ? 2 : 1,
    })
    const done = importObject(kind, dryRun, summary)
    return reply
      .headers(apiHeaders('no-store'))
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(writeAnswer(route.operation, caller, {}, done)))
  } catch (error) {
    if (error instanceof HeadingError) throw wrongHeading(error)
    if (error instanceof LimiterFull) throw busy()
    throw error
  } finally {
    place.giveBack()
    // Reads and drops the rest of the body, so that the client gets the answer.
    void pieces.return().finally(() => request.raw.resume())
  }
}

interface ImportQuery {
  readonly dry_run?: boolean
  readonly from_line?: number
  readonly max_errors?: number
}

function formatOf(request: FastifyRequest): Format {
  return request.headers['content-type']?.startsWith('text/csv') === true ? 'csv' : 'ndjson'
}

/** The body as a stream. If reading ends early, the connection must stay open for the answer. */
async function* bodyOf({ body }: FastifyRequest): AsyncGenerator<Uint8Array, void, void> {
  if (!(body instanceof Readable)) return
  try {
    yield* body.iterator({ destroyOnReturn: false })
  } catch {
    throw new RequestRefusedError(
      400,
      'The body did not arrive completely. Send it again: rows that were already imported stay unchanged.',
    )
  }
}

function checkedQuery(request: FastifyRequest, route: BulkRoute): Record<string, unknown> {
  const query = queryOf(request, planOf(route).query)
  const judged = judgeInput(route.operation.input, query)
  if (judged.problems === undefined) return judged.data
  throw wrongParameters(
    judged.problems.map(
      ({ pointer, ...problem }): RequestProblem => ({ parameter: pointer.slice(1), ...problem }),
    ),
  )
}

function callerOf({ operator }: FastifyRequest): Caller {
  if (operator === undefined) throw new Error('the handler ran without its caller')
  return operator
}

function wrongHeading({ problems }: HeadingError): Problem {
  return new Problem({
    status: 422,
    code: 'invalid_input',
    detail: 'The first line must name columns of this resource. Nothing was imported.',
    errors: problems,
  })
}

function wrongType(): Problem {
  return new Problem({
    status: 415,
    code: 'unsupported_media_type',
    detail: 'Send the rows as application/x-ndjson or text/csv, with that Content-Type.',
  })
}

function busy(): Problem {
  return new Problem({
    status: 503,
    code: 'temporarily_unavailable',
    detail: 'Other imports of this school are running. Send this one again in a moment.',
    headers: { 'retry-after': '5' },
  })
}

/** Where files of jobs go, and how large one may be. */
interface JobFiles {
  readonly store: FileStore
  readonly maxBytes: number
}

/** Starts an export as a job if the caller prefers that. */
async function exportAsJob(
  request: FastifyRequest,
  reply: FastifyReply,
  actor: Actor,
  kind: BulkKind,
  input: ExportInput,
): Promise<FastifyReply> {
  const id = await started(request, (tx) => startExport(tx, actor, kind, input))
  return await accepted(request, reply, actor, id)
}

/**
 * Whether an import becomes a job. Without the read scope it does not: the job tells how many rows
 * were created and unchanged.
 */
function isImportJob(request: FastifyRequest, { scopes }: Actor, kind: BulkKind): boolean {
  return prefersAsync(request.headers) && importScopes(kind).every((scope) => scopes?.has(scope))
}

/** Keeps the rows, and starts an import of them as a job. */
async function importAsJob(
  request: FastifyRequest,
  reply: FastifyReply,
  actor: Actor,
  kind: BulkKind,
  { store, maxBytes }: JobFiles,
  rows: AsyncIterable<Uint8Array>,
  input: Omit<ImportInput, 'source'>,
): Promise<FastifyReply> {
  const id = uuidv7()
  const source = await keep(store, id, rows, maxBytes)
  try {
    await started(request, (tx) => startImport(tx, actor, kind, id, { ...input, source }))
  } catch (error) {
    await store.remove(source)
    throw error
  }
  return await accepted(request, reply, actor, id)
}

async function keep(
  store: FileStore,
  folder: string,
  rows: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  try {
    return (await store.write(folder, rows, maxBytes)).key
  } catch (error) {
    if (!(error instanceof FileTooLargeError)) throw error
    throw new Problem({
      status: 413,
      code: 'too_large',
      detail: `A job takes at most ${maxBytes} bytes. Split the file, or send it without Prefer: respond-async.`,
    })
  }
}

async function started<R>(
  request: FastifyRequest,
  start: (tx: SchoolTx) => Promise<R>,
): Promise<R> {
  try {
    return await request.schoolDb.transaction(start)
  } catch (error) {
    throw error instanceof OperationRefused ? problemOf(error.refusal) : error
  }
}

/** @see RFC 9110 §15.3.3, RFC 7240 §3 */
async function accepted(
  request: FastifyRequest,
  reply: FastifyReply,
  actor: Actor,
  id: string,
): Promise<FastifyReply> {
  const job = await loadObject(request.schoolDb, actor, jobs, id)
  return reply
    .code(202)
    .headers(apiHeaders('no-store'))
    .header('location', restUrl(request.school.origin, restPathOf(jobs), id))
    .header('preference-applied', 'respond-async')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(job))
}
