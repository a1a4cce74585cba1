import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { checkSchool } from '../../domain/grants/caller.ts'
import { judgeInput } from '../../domain/operation/refusal.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { problem, runTool, StepUpError, type ToolResult } from './run-tool.ts'
import { type Message, RpcRefusal } from './serve-message.ts'
import { type ParsedCall, signedIn, type Tool, type ToolCall } from './tool.ts'
import { findTool, furtherToolsFor, isOfMember } from './toolbox.ts'

/** A call that may be answered. */
export interface AdmittedCall {
  /** The name of a tool that exists. */
  readonly tool: string | undefined
  readonly answer: () => Promise<ToolResult>
}

/**
 * Finds the tool, parses its arguments and checks the scopes that they need. Throws StepUpError
 * before any byte of the answer is sent, naming at once every scope that the call needs.
 *
 * @see RFC 6750 §3.1
 */
export function admitCall(
  { name, given }: AskedCall,
  call: ToolCall,
  holdsNul: boolean,
  logFault: (fault: unknown) => void,
): AdmittedCall {
  const tool = findTool(name, call.school)
  if (tool === undefined) {
    return { tool: undefined, answer: () => Promise.reject(unknownTool(name, call)) }
  }
  const run = admit(tool, tool.parse(given, call.caller), call)
  // PostgreSQL keeps no NUL character in text, so none fits any argument of any tool.
  const { origin } = call.school
  const answer = holdsNul
    ? async () => problem(origin, 'invalid_text', NUL_PROBLEM)
    : () => runTool(origin, run, logFault)
  return { tool: tool.name, answer }
}

function admit(tool: Tool, parsed: ParsedCall, call: ToolCall): () => Promise<object> {
  if (parsed.needs === undefined) return () => parsed.run(call)
  if (call.caller !== undefined && isOfMember(tool)) checkSchool(call.caller)
  const admitted = signedIn(call, parsed.needs)
  if (admitted === undefined) throw new StepUpError(call, tool, parsed.needs)
  return () => parsed.run(admitted)
}

/**
 * Names what the list leaves out, because a client that guesses a name has read the list already.
 */
function unknownTool(name: string, { caller, school }: ToolCall): ProtocolError {
  const further = caller === undefined ? '' : furtherToolsFor(caller, school)
  const more =
    caller === undefined
      ? ' More are listed after a login: call sign_in.'
      : further && ` More appear once the token has their scopes: ${further}.`
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool called ${JSON.stringify(oneLine(name, 80))}. List the tools to see which there are.${more}`,
  )
}

const NUL_PROBLEM =
  'The message holds a NUL character (U+0000). Remove it from every text and call the tool again.'

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
