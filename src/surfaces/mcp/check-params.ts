import { z } from 'zod'
import type { Message } from './message.ts'
import { RpcRefusal } from './rpc-refusal.ts'

const meta = { _meta: z.looseObject({}).optional() }

const PARAMS: Readonly<Record<string, z.ZodObject>> = {
  initialize: z.looseObject({
    ...meta,
    protocolVersion: z.string(),
    capabilities: z.looseObject({}),
    clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
  }),
  'tools/list': z.looseObject({ ...meta, cursor: z.string().optional() }),
  'tools/call': z.looseObject({
    ...meta,
    name: z.string(),
    arguments: z.looseObject({}).optional(),
  }),
}

/** The protocol's machinery would answer malformed parameters as a fault of its own, not of the caller. */
export function checkParams({ method = '', params, id }: Message): void {
  const parsed = Object.hasOwn(PARAMS, method) ? PARAMS[method]?.safeParse(params) : undefined
  if (parsed === undefined || parsed.success) return
  const [issue] = parsed.error.issues
  const where = ['params', ...(issue?.path ?? [])].join('.')
  throw new RpcRefusal(400, -32602, `${where} does not fit ${method}: ${issue?.message}.`, id)
}
