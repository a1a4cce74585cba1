import { z } from 'zod'
import { actorOf, type Caller } from '../../../domain/access/caller.ts'
import { neededScopes, type Operation, performOperation } from '../../../domain/operation.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import {
  everywhere,
  parseInput,
  READS,
  type SignedInCall,
  signedIn,
  type Tool,
  ToolProblem,
} from '../tool.ts'
import { type ToolAnnotations, wireTool } from '../wire-tool.ts'
import { boundReading, boundWriting, checkUncut } from './bound-answer.ts'
import { refusalText } from './refusal-text.ts'
import { restUrlOf } from './rest-link.ts'

interface OperationTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operations: readonly Operation[]
}

const output = z.object({
  action: z.string(),
  result: z.looseObject({}).describe('as the REST API answers'),
  restUrl: z.string().nullable().describe('the object in the REST API; null for lists and figures'),
})

/** What decides which scopes a call needs, however wrong the rest of it may be. */
const named = z.looseObject({ action: z.string(), input: z.unknown().optional() })

const given = z.strictObject({
  action: z.string(),
  input: z
    .record(z.string(), z.unknown(), 'write the input of the action as an object, not as text')
    .default({}),
})

/**
 * Several operations as one tool, each an action of it. A caller sees the actions that their token
 * covers, and the tool if there is one; which scopes a call needs is decided by its action.
 */
export function operationTool(tool: OperationTool): Tool {
  const byName = new Map(tool.operations.map((operation) => [operation.name, operation]))
  const everything = ScopeSet.of(tool.operations.flatMap(({ scopes }) => scopes))
  const operationOf = (asked: unknown): Operation | undefined => {
    const parsed = named.safeParse(asked)
    return parsed.success ? byName.get(parsed.data.action) : undefined
  }
  const needs = (asked: unknown, caller: Caller | undefined): ScopeSet => {
    const operation = operationOf(asked)
    // Whoever may use some action is told which there are; nobody else could do anything with that.
    if (operation === undefined) {
      return tool.operations.some((one) => isCovered(one, caller)) ? ScopeSet.empty : everything
    }
    const input = operation.input.safeParse(named.parse(asked).input ?? {})
    return ScopeSet.of(neededScopes(operation, input.success ? input.data : undefined))
  }
  return {
    name: tool.name,
    existsAt: everywhere,
    wireFor: (caller) => {
      const covered = tool.operations.filter((operation) => isCovered(operation, caller))
      if (covered.length === 0) return undefined
      const scopes = ScopeSet.of(covered.flatMap((operation) => operation.scopes))
      return wireTool(describe(tool, covered), scopes)
    },
    needs,
    run: async (call, asked) => {
      const held = signedIn(call, needs(asked, call.caller))
      const operation = operationOf(asked)
      if (operation === undefined) throw unknownAction(tool, held.caller)
      return await perform(operation, held, parseInput(given, asked).input)
    },
  }
}

function isCovered(operation: Operation, caller: Caller | undefined): boolean {
  return caller !== undefined && ScopeSet.of(operation.scopes).isSubsetOf(caller.scopes)
}

function describe(tool: OperationTool, operations: readonly Operation[]) {
  const [first, ...more] = operations.map(({ name }) => name)
  // What an action does stands at its input: some clients take no description above 1024 characters.
  const inputs = operations.map(({ name, summary, input }) =>
    input.meta({ title: name, description: summary }),
  )
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: annotationsOf(operations),
    input: z.strictObject({
      action: z.enum([first ?? '', ...more]),
      input: z.union(inputs).optional().describe('the input whose title is the action'),
    }),
    output,
  }
}

function annotationsOf(operations: readonly Operation[]): ToolAnnotations {
  if (operations.every(({ kind }) => kind === 'read')) return READS
  return {
    readOnlyHint: false,
    destructiveHint: operations.some(({ kind }) => kind === 'remove' || kind === 'change'),
    idempotentHint: operations.every(({ kind }) => kind === 'change'),
    openWorldHint: false,
  }
}

function unknownAction(tool: OperationTool, caller: Caller): ToolProblem {
  const covered = tool.operations.filter((operation) => isCovered(operation, caller))
  const names = covered.map(({ name }) => name).join(', ')
  return new ToolProblem(`Name an action of ${tool.name} and its input. There are: ${names}.`)
}

async function perform(operation: Operation, call: SignedInCall, input: object): Promise<object> {
  const { caller, school } = call
  const { requestId } = call
  const actor = actorOf(caller, { via: 'mcp', origin: school.origin, requestId })
  if (operation.kind !== 'read') checkUncut(input)
  const outcome = await performOperation(operation, call.at, actor, input)
  if (outcome.kind !== 'done') throw new ToolProblem(refusalText(outcome))
  const restUrl = restUrlOf(school, outcome.output)
  const result =
    operation.kind === 'read' ? boundReading(outcome.output, restUrl) : boundWriting(outcome.output)
  return { action: operation.name, result, restUrl }
}
