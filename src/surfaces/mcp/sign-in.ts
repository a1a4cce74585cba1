import { z } from 'zod'
import {
  type Audience,
  findScope,
  IDENTITY_SCOPES,
  SCOPES_OF_AUDIENCE,
  UNREVIEWED_SCOPES,
} from '../../domain/clients/scope-catalogue.ts'
import type { Caller } from '../../domain/grants/caller.ts'
import { TOOL_ENDPOINTS, type ToolEndpoint } from '../../foundation/protocol/resource-names.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
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

/** Any scope of the audience will do: the client repeats its call after the login, whatever was granted. */
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
export const SIGN_IN: Tool = {
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
