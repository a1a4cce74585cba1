import { z } from 'zod'
import { actorOf, type Caller } from '../../../domain/grants/caller.ts'
import { noteScopes } from '../../../domain/grants/count-activity.ts'
import {
  type CheckedInput,
  checkInput,
  neededScopes,
  type Operation,
  performChecked,
  refusalFrom,
} from '../../../domain/operation/operation.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import { lengthInput } from '../long-answer.ts'
import { cursorInput, nextCursor } from '../paging.ts'
import {
  everywhere,
  inputOf,
  type ParsedCall,
  parseInput,
  READS,
  type SignedInCall,
  type Tool,
  ToolProblem,
  tryParse,
} from '../tool.ts'
import { type ToolAnnotations, wireTool } from '../wire-tool.ts'
import { answerReading } from './answer-reading.ts'
import { boundWriting } from './bound-writing.ts'
import { refusedTool } from './refused-tool.ts'
import { restUrlOf } from './rest-link.ts'

interface OperationTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly changedBy?: readonly string[]
  readonly operations: readonly Operation[]
  /** For actions that judge scopes themselves: a token with any of these may use them. */
  readonly openedBy?: readonly string[]
}

const output = z.object({
  action: z.string(),
  result: z
    .looseObject({})
    .optional()
    .describe('as the REST API answers; absent if it is so long that it comes in parts'),
  part: z
    .string()
    .optional()
    .describe(
      'a part of the result as JSON text: join the parts of all calls, then parse the text',
    ),
  nextCursor: nextCursor.describe(
    'cursor of the next part; null if there is none. A list goes on with its own next, as after',
  ),
  restUrl: z.string().nullable().describe('the object in the REST API; null for lists and figures'),
})

const given = z.strictObject({
  action: z.string(),
  input: z
    .record(z.string(), z.unknown(), 'write the input of the action as an object, not as text')
    .default({}),
  cursor: cursorInput,
  ...lengthInput,
})

/** What a call says about its answer. */
type Asked = Pick<z.output<typeof given>, 'cursor' | 'max_characters'>

/**
 * Several operations as one tool, each an action of it. A caller sees the actions that their token
 * covers, and the tool if there is one; the action of a call decides which scopes it needs.
 */
export function operationTool(tool: OperationTool): Tool {
  const byName = new Map(tool.operations.map((operation) => [operation.name, operation]))
  return {
    name: tool.name,
    existsAt: everywhere,
    scopes: everyScopeOf(tool),
    changedBy: tool.changedBy ?? [],
    wireFor: (caller) => {
      const covered = coveredBy(caller, tool)
      if (covered.length === 0) return undefined
      const scopes = ScopeSet.of(covered.flatMap((operation) => operation.scopes))
      return wireTool(describe(tool, covered), scopes)
    },
    parse: (asked, caller) => {
      const operation = byName.get(actionIn(asked))
      if (operation === undefined) return unknownAction(tool, caller)
      const input = tryParse(() => readInput(operation, asked))
      const isClosed = operation.judgesScopes === true && !isCovered(operation, caller, tool)
      return {
        needs: isClosed
          ? everyScopeOf(tool)
          : ScopeSet.of(neededScopes(operation, input.value?.input)),
        run: async (call: SignedInCall) => await perform(operation, call, inputOf(input)),
      }
    },
  }
}

/** Read apart from the rest of the call: the action decides the scopes, even if the rest is wrong. */
function actionIn(asked: unknown): string {
  const isNamed = typeof asked === 'object' && asked !== null && 'action' in asked
  return isNamed && typeof asked.action === 'string' ? asked.action : ''
}

interface FittingCall {
  readonly input: CheckedInput
  readonly asked: Asked
}

/** Throws a ToolProblem if the input does not fit the operation. */
function readInput(operation: Operation, call: unknown): FittingCall {
  const { input, ...asked } = parseInput(given, call)
  if (operation.kind !== 'read' && asked.cursor !== undefined) {
    throw new ToolProblem(
      `Nothing was done: cursor goes on with a long answer of a read, and ${operation.name} changes something. Leave cursor out.`,
    )
  }
  try {
    return { input: checkInput(operation, input), asked }
  } catch (error) {
    throw refusedTool(refusalFrom(error))
  }
}

/** A caller who may use at least one action gets the list of actions; any other is asked for every scope. */
function unknownAction(tool: OperationTool, caller: Caller | undefined): ParsedCall {
  const covered = coveredBy(caller, tool).map(({ name }) => name)
  return {
    needs: covered.length > 0 ? ScopeSet.empty : everyScopeOf(tool),
    run: async () => {
      throw new ToolProblem(
        `Name an action of ${tool.name} and its input. There are: ${covered.join(', ')}.`,
      )
    },
  }
}

function everyScopeOf(tool: OperationTool): ScopeSet {
  return ScopeSet.of([...tool.operations.flatMap(({ scopes }) => scopes), ...(tool.openedBy ?? [])])
}

function coveredBy(caller: Caller | undefined, tool: OperationTool): readonly Operation[] {
  return tool.operations.filter((operation) => isCovered(operation, caller, tool))
}

function isCovered(
  { scopes, judgesScopes }: Operation,
  caller: Caller | undefined,
  { openedBy = [] }: OperationTool,
): boolean {
  if (caller === undefined) return false
  if (judgesScopes === true) return openedBy.some((scope) => caller.scopes.has(scope))
  return ScopeSet.of(scopes).isSubsetOf(caller.scopes)
}

function describe(tool: OperationTool, operations: readonly Operation[]) {
  const [first, ...more] = operations.map(({ name }) => name)
  // Each action is described at its input, because some clients limit descriptions to 1024 characters.
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
      ...(operations.every(isReading) ? { cursor: cursorInput } : {}),
      ...lengthInput,
    }),
    output,
  }
}

const isReading = ({ kind }: Operation): boolean => kind === 'read'

function annotationsOf(operations: readonly Operation[]): ToolAnnotations {
  if (operations.every(isReading)) return READS
  return {
    readOnlyHint: false,
    destructiveHint: operations.some(({ kind }) => kind === 'remove' || kind === 'change'),
    idempotentHint: operations.every(({ kind }) => kind === 'change'),
    openWorldHint: false,
  }
}

async function perform(
  operation: Operation,
  call: SignedInCall,
  { input, asked }: FittingCall,
): Promise<object> {
  const { caller, school, requestId } = call
  const actor = actorOf(caller, { via: 'mcp', origin: school.origin, requestId })
  const outcome = await performChecked(operation, call.at, actor, input)
  if (outcome.kind !== 'done') throw refusedTool(outcome)
  noteScopes(call.at, caller, neededScopes(operation, input))
  const { output } = outcome
  const restUrl = restUrlOf(school, operation, output)
  if (operation.kind === 'read') {
    return answerReading({ operation, input, output, restUrl }, asked)
  }
  const result = boundWriting(output, asked.max_characters)
  return { action: operation.name, result, nextCursor: null, restUrl }
}
