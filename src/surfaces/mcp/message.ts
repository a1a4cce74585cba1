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
    throw new RpcRefusal(400, -32600, 'Batches are not accepted: send one message per request.')
  }
  if (!isObject(body)) {
    throw new RpcRefusal(400, -32600, 'The body is not a JSON-RPC message: send a JSON object.')
  }
  const { method, params } = body
  const id = typeof body.id === 'string' || typeof body.id === 'number' ? body.id : undefined
  checkDepth(body, id)
  return {
    id,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
    body,
  }
}

/** More than any tool needs, and far less than what would overflow the stack of a recursive function. */
const MAX_DEPTH = 64

function checkDepth(body: object, id: Message['id']): void {
  if (!isDeeperThan(MAX_DEPTH, body)) return
  throw new RpcRefusal(400, -32600, `The message is nested deeper than ${MAX_DEPTH} levels.`, id)
}

function isDeeperThan(levels: number, value: object): boolean {
  if (levels === 0) return true
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && isDeeperThan(levels - 1, inner)) return true
  }
  return false
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
