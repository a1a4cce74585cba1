import { z } from 'zod'
import {
  type Audience,
  findScope,
  IDENTITY_SCOPES,
  SCOPES_OF_AUDIENCE,
  UNREVIEWED_SCOPES,
} from '../../domain/clients/scope-catalogue.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import type { School } from '../../domain/schools/school.ts'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { TOOL_ENDPOINTS, type ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { MEMBER_TOOLS } from './member/member-tools.ts'
import { OPERATOR_TOOLS } from './operator/operator-tools.ts'
import { PUBLIC_TOOLS } from './public/public-tools.ts'
import { everywhere, READS, type SignedInCall, type Tool, ToolProblem } from './tool.ts'
import { type WireTool, wireTool } from './wire-tool.ts'

const input = z.strictObject({
  as: z
    .enum(['member', 'operator'])
    .describe(
      'member: see what is one’s own, such as courses and notifications, in an application that the school made for its members; operator: run the school, for owners and admins, in any other application',
    ),
})

const output = z.object({
  signedIn: z.boolean(),
  name: z.string(),
  roles: z.array(z.string()),
  scopes: z.array(z.string()),
})

const READING: Readonly<Record<Audience, ScopeSet>> = {
  member: ScopeSet.of(
    [...SCOPES_OF_AUDIENCE.member].filter((scope) => findScope(scope)?.access === 'read'),
  ),
  operator: UNREVIEWED_SCOPES,
}

/**
 * Any scope of the audience will do: the client repeats its call after the login, whatever was
 * granted.
 */
function isSignedInAs(as: Audience, { audience, scopes }: Caller): boolean {
  return audience === as && scopes.minus(IDENTITY_SCOPES).size > 0
}

const description = {
  name: 'sign_in',
  title: 'Sign in',
  description:
    'Starts a login: call this when the person wants something that needs their account, such as their own courses or the running of the school. It answers with an authorization challenge that makes the client open the school’s login and consent page, and changes nothing by itself. After the login more tools are listed.',
  annotations: READS,
  input,
  output,
}

/** Each name of the endpoint declares the scopes that its metadata lists for reading. */
const WIRES: Readonly<Record<ToolEndpoint, WireTool>> = {
  [TOOL_ENDPOINTS.operator]: wireTool(description, READING.operator),
  [TOOL_ENDPOINTS.member]: wireTool(description, READING.member),
}

/**
 * Exists to give the challenge. Many clients offer a login only after a 401, and an anonymous
 * connection never gets one.
 */
const SIGN_IN: Tool = {
  name: description.name,
  existsAt: everywhere,
  scopes: ScopeSet.empty,
  changedBy: [],
  wireFor: (caller, endpoint) => (caller === undefined ? WIRES[endpoint] : undefined),
  parse: (given, caller) => {
    const { data } = input.safeParse(given)
    if (data === undefined) return { run: askForRole }
    const { as } = data
    const isSignedIn = caller !== undefined && isSignedInAs(as, caller)
    return { needs: isSignedIn ? ScopeSet.empty : READING[as], run: tellWhoIsSignedIn }
  },
}

/** A guessed role could send the person into a login that their application cannot complete. */
async function askForRole(): Promise<never> {
  throw new ToolProblem(
    'Say who signs in, and nothing else: {"as": "member"} for people who want to see what is their own, or {"as": "operator"} for owners and admins who run the school.',
  )
}

async function tellWhoIsSignedIn({ caller }: SignedInCall): Promise<z.input<typeof output>> {
  return {
    signedIn: true,
    name: caller.person.name,
    roles: [...caller.roles],
    scopes: caller.scopes.toArray(),
  }
}

/**
 * In the order in which they are listed, the same for all callers. The first one needs neither a
 * token nor an argument, because people who test a connection call the first one.
 */
const TOOLS: readonly Tool[] = [...PUBLIC_TOOLS, SIGN_IN, ...MEMBER_TOOLS, ...OPERATOR_TOOLS]

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

export function findTool(name: string, school: School): Tool | undefined {
  const tool = byName.get(name)
  return tool?.existsAt(school) ? tool : undefined
}

const memberTools: ReadonlySet<Tool> = new Set(MEMBER_TOOLS)

/** Whether the tool is about a member's own data at the school of the token. */
export const isOfMember = (tool: Tool): boolean => memberTools.has(tool)

/** The tools of this school, in order. */
function toolsAt(school: School): readonly Tool[] {
  return TOOLS.filter((tool) => tool.existsAt(school))
}

/** The tools that the caller's login could open with more scopes; empty if there are none. */
export function furtherToolsFor(caller: Caller, school: School): string {
  return furtherTools(toolsAt(school), caller)
}

const MAX_LISTS = 500

/**
 * What callers may use; nothing else is listed. Kept by the three things that a list depends on.
 */
export class ToolLists {
  readonly #lists = new LruCache<readonly WireTool[]>(MAX_LISTS)
  readonly #further = new LruCache<string>(MAX_LISTS)

  for(caller: Caller | undefined, school: School, endpoint: ToolEndpoint): readonly WireTool[] {
    const who = caller === undefined ? 'anonymous' : `${caller.lacksSchool} : ${caller.scopes}`
    return recall(this.#lists, `${endpoint} ${school.variant} ${who}`, () => {
      const tools = toolsAt(school).filter(
        (tool) => caller?.lacksSchool !== true || !isOfMember(tool),
      )
      return tools.flatMap((tool) => {
        const wire = tool.wireFor(caller, endpoint)
        if (wire === undefined) return []
        const changes = tools.filter(({ name }) => tool.changedBy.includes(name))
        return withChanges(wire, changes, caller)
      })
    })
  }

  /** What `furtherToolsFor` answers, cached, because every message needs it. */
  furtherFor(caller: Caller, school: School): string {
    const key = `${school.variant} ${caller.audience} ${caller.scopes}`
    return recall(this.#further, key, () => furtherToolsFor(caller, school))
  }
}

function recall<V extends object | string>(kept: LruCache<V>, key: string, make: () => V): V {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  kept.set(key, made, 1)
  return made
}

/**
 * The tools that a further authorization would open, wholly or for more actions, each with the
 * scopes that the token lacks. They are not listed, so a client learns their names only from this
 * text.
 */
function furtherTools(tools: readonly Tool[], { audience, scopes }: Caller): string {
  return tools
    .filter((tool) => tool.scopes.isSubsetOf(SCOPES_OF_AUDIENCE[audience]))
    .map((tool) => ({ name: tool.name, lacking: tool.scopes.minus(scopes) }))
    .filter(({ lacking }) => lacking.size > 0)
    .map(({ name, lacking }) => `${name} (${lacking.toArray().join(', ')})`)
    .join(', ')
}

/** Adds to a tool that shows something the tools that change it and are not listed yet. */
function withChanges(
  wire: WireTool,
  changes: readonly Tool[],
  caller: Caller | undefined,
): WireTool {
  const further = caller === undefined ? '' : furtherTools(changes, caller)
  if (further === '') return wire
  return { ...wire, description: `${wire.description} Changed by, with more scopes: ${further}.` }
}
