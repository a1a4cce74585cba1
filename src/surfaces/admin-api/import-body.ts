import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { loadJobFile, readJobFile } from '../../domain/jobs/job-file.ts'
import { id } from '../../domain/operation/fields.ts'
import { OperationRefused } from '../../domain/operation/refusal.ts'
import type { Limiter } from '../../foundation/concurrency/limiter.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { UUID } from '../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import { Problem, problemOf } from './problem.ts'
import { apiActor, type DescribedRoute, routerPath } from './route.ts'

/**
 * An import takes a place only for this many bytes that have arrived, or for the end of the body.
 */
const PIECE_BYTES = 64 * 1024
/** How long a place is kept while its import waits for the next piece. */
const PATIENCE_MS = { import: 1_000, dryRun: 10_000 } as const

/** A place among the imports that run. */
export class ImportPlace {
  readonly #limiter: Limiter
  readonly #school: string
  readonly #gone: AbortSignal
  #isHeld = false
  #hasBegun = false

  constructor(limiter: Limiter, school: string, gone: AbortSignal) {
    this.#limiter = limiter
    this.#school = school
    this.#gone = gone
  }

  /** Rejects with LimiterFull, but only before the import has begun: half of it may be written. */
  async take(): Promise<void> {
    const turn = this.#limiter.enter(this.#school, this.#gone, this.#hasBegun)
    if (turn !== undefined) await turn
    this.#isHeld = true
    this.#hasBegun = true
  }

  giveBack(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#limiter.leave(this.#school)
  }
}

type Pieces = AsyncGenerator<Uint8Array, void, void>

/** The body in pieces of about 64 KiB, copied: a sender chooses how small its packets are. */
export async function* inPieces(body: AsyncIterable<Uint8Array>): Pieces {
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let filled = 0
  for await (const chunk of body) {
    if (filled > 0 && filled + chunk.length > PIECE_BYTES) {
      yield piece.subarray(0, filled)
      piece = Buffer.allocUnsafe(PIECE_BYTES)
      filled = 0
    }
    if (chunk.length >= PIECE_BYTES) yield chunk
    else {
      piece.set(chunk, filled)
      filled += chunk.length
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

/**
 * Takes the place once the first piece is there, and then gives the body to the import. While a
 * sender is slow the place is for others: some uploads that drip would otherwise hold all of them.
 * A dry run cannot pause, because its transaction keeps a connection, so a slow one is refused.
 */
export async function takeBody(
  pieces: Pieces,
  place: ImportPlace,
  isDryRun: boolean,
): Promise<AsyncIterable<Uint8Array>> {
  const first = await pieces.next()
  await place.take()
  return restOf(first, pieces, place, isDryRun)
}

async function* restOf(
  first: IteratorResult<Uint8Array, void>,
  pieces: Pieces,
  place: ImportPlace,
  isDryRun: boolean,
): Pieces {
  let piece = first
  while (piece.done !== true) {
    yield piece.value
    const next = pieces.next()
    if (!(await arrivesWithin(next, isDryRun ? PATIENCE_MS.dryRun : PATIENCE_MS.import))) {
      if (isDryRun) throw tooSlow()
      place.giveBack()
      await next
      await place.take()
    }
    piece = await next
  }
}

async function arrivesWithin(next: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  try {
    return await Promise.race([next.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function tooSlow(): Problem {
  return new Problem({
    status: 408,
    code: 'malformed_request',
    detail:
      'The rows arrive too slowly for a dry run, which needs 64 KiB every ten seconds. Nothing was imported. Send fewer rows at once.',
    headers: { connection: 'close' },
  })
}

const bytes = { schema: { type: 'string', format: 'binary' } }

export const JOB_FILE_ROUTE: DescribedRoute = {
  method: 'GET',
  path: '/jobs/{id}/file',
  operation: {
    name: 'jobs.download',
    title: 'Download the file of a job',
    summary:
      'The file that an export made, for the person who started it with the same client. The list of jobs has its address.',
    kind: 'read',
    scopes: [],
    judgesScopes: true,
    input: z.strictObject({ id }),
    output: z.strictObject({}),
    examples: [],
  },
  rows: { file: 'rows', content: { 'application/x-ndjson': bytes, 'text/csv': bytes } },
}

export function addJobFileRoute(
  scope: FastifyInstance,
  store: FileStore,
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  scope.get(routerPath(JOB_FILE_ROUTE.path), { onRequest }, async (request, reply) => {
    const caller = request.operator
    if (caller === undefined) throw new Error('the handler ran without its caller')
    const { id: job } = request.params as { id: string }
    if (!UUID.test(job)) {
      throw new Problem({ status: 404, code: 'not_found', detail: 'There is no such job.' })
    }
    try {
      const file = await loadJobFile(request.schoolDb, apiActor(request, caller), job)
      return reply
        .headers(apiHeaders('no-store'))
        .header('vary', 'Authorization')
        .header('content-type', file.contentType)
        .header('content-length', file.sizeBytes)
        .header('content-disposition', `attachment; filename="${file.name}"`)
        .send(Readable.from(readJobFile(store, file)))
    } catch (error) {
      throw error instanceof OperationRefused ? problemOf(error.refusal) : error
    }
  })
}
