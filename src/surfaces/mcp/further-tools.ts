import { SCOPES_OF_AUDIENCE } from '../../domain/clients/scope-catalogue.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import type { Tool } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

/**
 * The tools that a further authorization would open, wholly or for more actions, each with the scopes that
 * the token lacks. They are not listed, so a client learns their names only from this text.
 */
export function furtherTools(tools: readonly Tool[], { audience, scopes }: Caller): string {
  return tools
    .filter((tool) => tool.scopes.isSubsetOf(SCOPES_OF_AUDIENCE[audience]))
    .map((tool) => ({ name: tool.name, lacking: tool.scopes.minus(scopes) }))
    .filter(({ lacking }) => lacking.size > 0)
    .map(({ name, lacking }) => `${name} (${lacking.toArray().join(', ')})`)
    .join(', ')
}

/** Adds to a tool that shows something the tools that change it and are not listed yet. */
export function withChanges(
  wire: WireTool,
  changes: readonly Tool[],
  caller: Caller | undefined,
): WireTool {
  const further = caller === undefined ? '' : furtherTools(changes, caller)
  if (further === '') return wire
  return { ...wire, description: `${wire.description} Changed by, with more scopes: ${further}.` }
}
