import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../domain/actor/actor.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import { noteScopes } from '../../domain/grants/count-activity.ts'
import { keepAnswer, lookUpWrite, type WriteName } from '../../domain/idempotency/repeated-write.ts'
import {
  checkInput,
  neededScopes,
  refusalFrom,
  runWrite,
  type WriteOperation,
} from '../../domain/operation/operation.ts'
import { mayReadWritten, writeAnswer } from '../../domain/operation/write-answer.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { retryCollision } from '../../foundation/db/unavailable.ts'
import { rawPath } from '../../foundation/http/request-body.ts'
import { type Answer, answerOf } from './answer.ts'
import { Problem, problemOf } from './problem.ts'
import { apiActor, type Route } from './route.ts'

type WriteRoute = Route & { readonly operation: WriteOperation }

/**
 * Makes a write at most once per Idempotency-Key. The key of a refused or failed write is not
 * stored, because it changed nothing: the client may repeat it, and it is judged again.
 */
export async function answerWrite(
  request: FastifyRequest,
  route: WriteRoute,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<Answer> {
  const name = writeName(request, caller, input)
  const acting = apiActor(request, caller)
  const { operation } = route
  try {
    let isRepeated = false
    const write = async (tx: SchoolTx) => {
      if (name !== undefined) {
        const repeated = await lookUpWrite(tx, name)
        if (repeated.kind === 'repeated') {
          isRepeated = true
          return replayed(tellAgain(request, route, acting, input, repeated.answer))
        }
        if (repeated.kind !== 'first') throw keyProblem(repeated.kind)
      }
      const output = await runWrite(operation, tx, acting, checkInput(operation, input))
      const answer = answerOf(request, route, output)
      if (name !== undefined) await keepAnswer(tx, name, answer)
      return answer
    }
    const answer = await retryCollision(() => request.schoolDb.transaction(write))
    if (!isRepeated) noteScopes(request.schoolDb, caller, neededScopes(operation, input))
    return answer
  } catch (error) {
    if (error instanceof Problem) throw error
    throw problemOf(refusalFrom(error))
  }
}

/**
 * Refuses a write whose Idempotency-Key would refuse it, for one that keeps bytes before its
 * transaction: bytes of a refused write would stay. Two that race pass both. A lock until the bytes
 * are kept would need a connection for as long as the store takes, and deleting them could take
 * those of an equal upload.
 */
export async function checkKey(
  request: FastifyRequest,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<void> {
  const name = writeName(request, caller, input)
  if (name === undefined) return
  const { kind } = await request.schoolDb.transaction((tx) => lookUpWrite(tx, name))
  if (kind === 'mismatch' || kind === 'in_progress') throw keyProblem(kind)
}

/** The first call may have had the read scope that this one lacks: a refresh can narrow scopes. */
function tellAgain(
  request: FastifyRequest,
  route: WriteRoute,
  acting: Actor,
  input: Record<string, unknown>,
  stored: Answer,
): Answer {
  const { operation } = route
  if (mayReadWritten(operation, acting)) return stored
  const sent = checkInput(operation, input)
  return answerOf(request, route, writeAnswer(operation, acting, sent, JSON.parse(stored.body)))
}

function replayed(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'idempotent-replayed': 'true' } }
}

function writeName(
  request: FastifyRequest,
  caller: Caller,
  input: Record<string, unknown>,
): WriteName | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem({
      status: 400,
      code: 'malformed_request',
      detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters. A UUID is a good key.',
    })
  }
  return {
    key,
    authorizationId: caller.authorizationId,
    method: request.method,
    path: rawPath(request.raw.url ?? ''),
    content: canonicalJson(input),
  }
}

/** JSON with sorted members: their order has no meaning, and some clients change it. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

function keyProblem(kind: 'mismatch' | 'in_progress'): Problem {
  return kind === 'mismatch'
    ? new Problem({
        status: 422,
        code: 'idempotency_mismatch',
        detail:
          'This Idempotency-Key was used for another request. Use a new key for a new request.',
      })
    : new Problem({
        status: 409,
        code: 'idempotency_in_progress',
        detail: 'Wait a moment and send the same request with the same key again.',
        headers: { 'retry-after': '1' },
      })
}
