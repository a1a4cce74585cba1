import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { importObject } from '../../domain/bulk/bulk-operations.ts'
import { type ExportedRows, exportRows, TYPES } from '../../domain/bulk/export-job.ts'
import { importRows } from '../../domain/bulk/import-rows.ts'
import { type Format, HeadingError } from '../../domain/bulk/row-reader.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import { noteScopes } from '../../domain/grants/count-activity.ts'
import { neededScopes } from '../../domain/operation/operation.ts'
import { judgeInput, OperationRefused } from '../../domain/operation/refusal.ts'
import { writeAnswer } from '../../domain/operation/write-answer.ts'
import { Limiter, LimiterFull } from '../../foundation/concurrency/limiter.ts'
import { inLane } from '../../foundation/db/school-db.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { prefersAsync } from '../../foundation/http/conditional.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { whenGone } from '../../foundation/http/shutdown.ts'
import { apiActor, checkScopes } from './access.ts'
import { exportAsJob, importAsJob, isImportJob, type JobFiles } from './bulk-jobs.ts'
import { BULK_ROUTES, type BulkRoute } from './bulk-routes.ts'
import { ImportPlace, inPieces, takeBody } from './import-body.ts'
import { Problem, type RequestProblem } from './problem.ts'
import { planOf, routerPath } from './route.ts'
import { queryOf, wrongParameters } from './route-input.ts'

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** An import keeps a database connection busy, and other batch work needs connections too. */
const IMPORTS_AT_ONCE = 3
/**
 * Apart from imports, because a dry run keeps its connection while its sender is slow. Of three one school gets two: of
 * two it would get both.
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
  noteScopes(request.at, viewer, neededScopes(route.operation))
  if (jobFiles !== undefined && request.method === 'GET' && prefersAsync(request.headers)) {
    return await exportAsJob(request, reply, viewer, kind, { format, after, only })
  }
  reply
    .headers(apiHeaders('no-store'))
    .header('vary', 'Authorization')
    .header('content-type', TYPES[format])
    .header('content-disposition', `attachment; filename="${kind.name}.${format}"`)
  const rows = exportRows(inLane(request.at, 'batch'), viewer, kind, { format, after, only })
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
    // Once for an import, when its job has started or its first row was written: a refused file changed nothing.
    const count = () => {
      if (!isCounted && !dryRun) noteScopes(request.at, caller, scopes)
      isCounted = true
    }
    if (jobFiles !== undefined && !dryRun && isImportJob(request, caller, kind)) {
      const input = { format: formatOf(request), from_line, max_errors }
      const answer = await importAsJob(request, reply, caller, kind, jobFiles, pieces, input)
      count()
      return answer
    }
    const body = await takeBody(pieces, place, dryRun)
    const summary = await importRows(inLane(request.at, 'batch'), caller, kind, body, {
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
