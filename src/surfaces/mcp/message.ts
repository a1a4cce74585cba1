import { RpcRefusal } from './rpc-refusal.ts'

/** JSON-RPC 2.0 §4 with the narrowing of the Model Context Protocol: an id is never null. */
export interface Message {
  readonly id: string | number | undefined
  readonly method: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** The whole of it, as it was sent. */
  readonly body: object
}

/**
 * Reads what was posted. An array is refused before anything looks into it: whoever judged only a
 * message's method would let the calls inside a batch pass unjudged.
 */
export function parseMessage(body: unknown): Message {
  if (Array.isArray(body)) {
    throw new RpcRefusal(400, -32600, 'Batches are not accepted: send one message per request.')
  }
  if (!isObject(body)) {
    throw new RpcRefusal(400, -32600, 'The body is not a JSON-RPC message: send a JSON object.')
  }
  const { id, method, params } = body
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
    body,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
