import { z } from 'zod'
import { judgeInput } from '../../domain/operation/refusal.ts'
import type { Message } from './message.ts'
import { RpcRefusal } from './rpc-refusal.ts'

const meta = { _meta: z.looseObject({}).optional() }

const toolCall = z.looseObject({
  ...meta,
  name: z.string(),
  arguments: z.looseObject({}).optional(),
})

const OTHER_METHODS: Readonly<Record<string, z.ZodObject>> = {
  initialize: z.looseObject({
    ...meta,
    protocolVersion: z.string(),
    capabilities: z.looseObject({}),
    clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
  }),
  'tools/list': z.looseObject({ ...meta, cursor: z.string().optional() }),
}

/** The tool that a message calls. */
export interface AskedCall {
  readonly name: string
  readonly given: unknown
}

/**
 * Checks the parameters of a message and returns the call in it. A `tools/call` without an id is a
 * notification: the protocol answers none, so it calls nothing.
 *
 * The SDK would answer malformed parameters as a fault of the server, not of the client.
 */
export function readParams(message: Message): AskedCall | undefined {
  const { method = '' } = message
  if (method === 'tools/call') {
    const { name, arguments: given } = fitting(toolCall, message)
    return message.id === undefined ? undefined : { name, given }
  }
  const schema = Object.hasOwn(OTHER_METHODS, method) ? OTHER_METHODS[method] : undefined
  if (schema !== undefined) fitting(schema, message)
  return undefined
}

function fitting<S extends z.ZodObject>(schema: S, { method, params, id }: Message): z.output<S> {
  const judged = judgeInput(schema, params)
  if (judged.problems === undefined) return judged.data
  const [problem] = judged.problems
  const where = `params${(problem?.pointer ?? '').replaceAll('/', '.')}`
  throw new RpcRefusal(400, '-32602', `${where} does not fit ${method}: ${problem?.detail}`, id)
}
