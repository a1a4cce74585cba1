import { z } from 'zod'
import { actorOf, type Caller } from '../../../domain/grants/caller.ts'
import { noteScopes } from '../../../domain/grants/count-activity.ts'
import { isListOperation } from '../../../domain/operation/list-operation.ts'
import {
  type CheckedInput,
  checkInput,
  neededScopes,
  type Operation,
  performChecked,
  refusalFrom,
  restUrl,
} from '../../../domain/operation/operation.ts'
import type { Refusal } from '../../../domain/operation/refusal.ts'
import type { School } from '../../../domain/schools/school.ts'
import type { ErrorCode } from '../../../foundation/errors/catalogue.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import { LongAnswer, lengthInput } from '../long-answer.ts'
import { cursorInput, nextCursor } from '../paging.ts'
import { sliceText, Whole } from '../parts.ts'
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

/**
 * Read apart from the rest of the call: the action decides the scopes, even if the rest is wrong.
 */
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

/**
 * A caller who may use at least one action gets the list of actions; any other is asked for every
 * scope.
 */
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
  // Each action is described at its input, because some clients limit descriptions to 1024
  // characters.
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
  const outcome = await performChecked(operation, call.db, actor, input)
  if (outcome.kind !== 'done') throw refusedTool(outcome)
  noteScopes(call.db, caller, neededScopes(operation, input))
  const { output } = outcome
  const restUrl = restUrlOf(school, operation, output)
  if (operation.kind === 'read') {
    return answerReading({ operation, input, output, restUrl }, asked)
  }
  const result = boundWriting(output, asked.max_characters)
  return { action: operation.name, result, nextCursor: null, restUrl }
}

type Output = Record<string, unknown>

interface Reading {
  readonly operation: Operation
  readonly input: CheckedInput
  readonly output: Output
  readonly restUrl: string | null
}

interface ReadAsked {
  readonly cursor?: string | undefined
  readonly max_characters: number
}

interface ReadingAnswer {
  readonly action: string
  readonly result?: Output
  readonly part?: string
  readonly nextCursor: string | null
  readonly restUrl: string | null
}

/**
 * What a read answers: of a list as many objects as fit, with the `next` that leads on; of anything
 * else the whole. What does not fit even so comes as JSON text in parts.
 */
function answerReading(reading: Reading, asked: ReadAsked): LongAnswer<ReadingAnswer> {
  if (asked.cursor) return inParts(reading, asked)
  const { operation, restUrl } = reading
  return new LongAnswer({
    max: asked.max_characters,
    count: Math.max(1, rowsIn(reading).length),
    write: (shown): ReadingAnswer => ({
      action: operation.name,
      result: firstRows(reading, shown),
      nextCursor: null,
      restUrl,
    }),
    orElse: () => inParts(reading, asked),
  })
}

function inParts(reading: Reading, asked: ReadAsked): LongAnswer<ReadingAnswer> {
  const { operation, input, restUrl } = reading
  const text = JSON.stringify(firstRows(reading, 1))
  const whole = new Whole(`${operation.name} ${JSON.stringify(input)}`, text, text.length)
  const from = whole.placeOf(asked.cursor)
  return new LongAnswer({
    max: asked.max_characters,
    count: text.length - from,
    write: (shown): ReadingAnswer => {
      const part = sliceText(text, from, shown)
      const nextCursor = whole.cursorAt(from + part.length)
      return { action: operation.name, part, nextCursor, restUrl }
    },
  })
}

/** The page of a list that ends after these rows; anything but a list stays as it is. */
function firstRows(reading: Reading, shown: number): Output {
  const { operation, input, output } = reading
  const rows = rowsIn(reading)
  const last = rows[shown - 1]
  if (!isListOperation(operation) || last === undefined || shown >= rows.length) return output
  const next = operation.cursorAfter(input, last)
  return { ...output, data: rows.slice(0, shown), has_more: true, next }
}

function rowsIn({ operation, output }: Reading): readonly Output[] {
  return isListOperation(operation) ? (output.data as Output[]) : []
}

type WrittenOutput = Record<string, unknown>

/**
 * What a write answers. It is done, so an answer that is too long must not look like a failure, and
 * a cursor would do it again: long parts are left out.
 */
export function boundWriting(output: WrittenOutput, maxCharacters: number): WrittenOutput {
  if (JSON.stringify(output).length <= maxCharacters) return output
  return {
    ...Object.fromEntries(Object.entries(output).filter(([, value]) => isShort(value))),
    omitted: 'It is done. Long parts were left out of this answer; read the object to see them.',
  }
}

function isShort(value: unknown): boolean {
  return typeof value === 'string'
    ? value.length <= 300
    : typeof value !== 'object' || value === null
}

/** The refusal of an operation as a problem that a model can act on. */
function refusedTool(refusal: Refusal): ToolProblem {
  return new ToolProblem(textOf(refusal), codeOf(refusal))
}

function textOf(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return `Nothing was done, because the input is wrong:\n${refusal.problems
        .map(({ pointer, detail }) => `${pointer === '' ? 'input' : pointer}: ${detail}`)
        .join('\n')}`
    case 'stale':
      return `Nothing was done: the object was changed in the meantime, it is at version ${refusal.version} now. Read it again and decide again.`
    case 'not_found':
    case 'conflict':
    case 'forbidden':
      return `Nothing was done. ${refusal.detail}`
  }
}

function codeOf(refusal: Refusal): ErrorCode {
  switch (refusal.kind) {
    case 'invalid':
      return 'invalid_input'
    case 'stale':
      return 'stale_version'
    case 'not_found':
      return 'not_found'
    case 'conflict':
    case 'forbidden':
      return refusal.code
  }
}

/** Where the REST API has the object that an operation answered; null for lists and figures. */
function restUrlOf(
  { origin }: School,
  { restPath }: Operation,
  { id }: Record<string, unknown>,
): string | null {
  return restPath === undefined ? null : restUrl(origin, restPath, String(id))
}
