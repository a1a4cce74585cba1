import { RpcRefusal } from './rpc-refusal.ts'

/** JSON-RPC 2.0 §4 with the narrowing of the Model Context Protocol: an id is never null. */
export interface Message {
  readonly id: string | number | undefined
  readonly method: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** The whole message as it was sent. */
  readonly body: object
}

/**
 * Reads what was posted. An array is refused before anything looks into it: a check of the message's
 * method alone would let the calls inside a batch pass.
 */
export function parseMessage(body: unknown): Message {
  if (Array.isArray(body)) {
    throw new RpcRefusal(400, '-32600', 'Batches are not accepted: send one message per request.')
  }
  if (!isObject(body)) {
    throw new RpcRefusal(400, '-32600', 'The body is not a JSON-RPC message: send a JSON object.')
  }
  const { method, params } = body
  const id = typeof body.id === 'string' || typeof body.id === 'number' ? body.id : undefined
  checkLength('id', id)
  checkLength('method', method)
  return {
    id,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
    body,
  }
}

/** A longer one is of no client: ids and names are repeated in answers. */
const MAX_NAME_LENGTH = 200

function checkLength(what: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= MAX_NAME_LENGTH) return
  throw new RpcRefusal(400, '-32600', `The ${what} is longer than ${MAX_NAME_LENGTH} characters.`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
