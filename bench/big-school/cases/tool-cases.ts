import { JSON_BODY } from '../../play.ts'
import type { Asking } from '../asking.ts'
import type { BothCallers, Callers } from '../callers.ts'
import type { Case } from '../case.ts'
import { WORDS } from '../samples.ts'

const REVISION = '2026-07-28'

interface ListedTool {
  readonly name: string
  readonly annotations?: { readonly readOnlyHint?: boolean }
  readonly inputSchema: {
    readonly required?: readonly string[]
    readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  }
}

/**
 * Every tool that only reads, of a busy member and of an operator; of those with actions, each
 * action.
 */
export async function toolCases(asking: Asking, callers: BothCallers): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const who of ['busy', 'operator'] as const) {
    const { tools } = await listTools(asking, callers.small, who)
    for (const tool of tools.filter(({ annotations }) => annotations?.readOnlyHint === true)) {
      for (const [shown, given] of argumentsOf(tool)) {
        const name = `${tool.name}${shown}`
        if (cases.some((one) => one.name === name)) continue
        cases.push({
          group: 'Tools',
          name,
          ask: (at) => message(at, who, 'tools/call', { name: tool.name, arguments: given }),
        })
      }
    }
  }
  return cases
}

type Arguments = Readonly<Record<string, unknown>>

/** Arguments that need no id; actions on one object are left to the REST API. */
function argumentsOf({ inputSchema }: ListedTool): readonly (readonly [string, Arguments])[] {
  const { required = [], properties = {} } = inputSchema
  const actions = properties.action?.enum
  if (actions !== undefined) {
    return actions
      .filter((action) => action.endsWith('.list'))
      .map((action) => [` ${action}`, { action, input: {} }])
  }
  if (required.length === 0) return [['', {}]]
  if (required.length > 1 || required[0] !== 'query') return []
  return WORDS.map((query) => [` ${query}`, { query }])
}

async function listTools(
  asking: Asking,
  at: Callers,
  who: 'busy' | 'operator',
): Promise<{ readonly tools: readonly ListedTool[] }> {
  const { text } = await asking.ask(message(at, who, 'tools/list', {}))
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  return (JSON.parse(data) as { result?: { tools: ListedTool[] } }).result ?? { tools: [] }
}

function message(at: Callers, who: 'busy' | 'operator', method: string, params: Arguments) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    method: 'POST' as const,
    path: '/mcp',
    headers: {
      ...at[who],
      ...JSON_BODY,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  }
}
