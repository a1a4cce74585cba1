import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../domain/actor/actor.ts'
import { type ExportInput, startExport } from '../../domain/bulk/export-job.ts'
import { type ImportInput, importScopes, startImport } from '../../domain/bulk/import-job.ts'
import type { BulkKind } from '../../domain/bulk/kind.ts'
import { jobs } from '../../domain/jobs/job-operations.ts'
import { restPathOf, restUrl } from '../../domain/operation/operation.ts'
import { OperationRefused } from '../../domain/operation/refusal.ts'
import { loadObject } from '../../domain/operation/resource.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { prefersAsync } from '../../foundation/http/conditional.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { type FileStore, FileTooLargeError } from '../../foundation/storage/file-store.ts'
import { Problem, problemOf } from './problem.ts'

/** Where files of jobs go, and how large one may be. */
export interface JobFiles {
  readonly store: FileStore
  readonly maxBytes: number
}

/** Starts an export as a job if the caller prefers that. */
export async function exportAsJob(
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
 * Whether an import becomes a job. Without the read scope it does not: the job tells how many rows were created and
 * unchanged.
 */
export function isImportJob(request: FastifyRequest, { scopes }: Actor, kind: BulkKind): boolean {
  return prefersAsync(request.headers) && importScopes(kind).every((scope) => scopes?.has(scope))
}

/** Keeps the rows, and starts an import of them as a job. */
export async function importAsJob(
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
    return await request.at.transaction(start)
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
  const job = await loadObject(request.at, actor, jobs, id)
  return reply
    .code(202)
    .headers(apiHeaders('no-store'))
    .header('location', restUrl(request.school.origin, restPathOf(jobs), id))
    .header('preference-applied', 'respond-async')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(job))
}
