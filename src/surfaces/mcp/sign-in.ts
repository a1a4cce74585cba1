import { z } from 'zod'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from '../../domain/clients/scope-catalogue.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { everywhere, READS, signedIn, type Tool } from './tool.ts'
import { wireTool } from './wire-tool.ts'

const input = z.strictObject({
  as: z
    .enum(['member', 'operator'])
    .default('member')
    .describe(
      'member: see one’s own courses, payments and notifications; operator: run the school, for owners and admins',
    ),
})

const output = z.object({
  signedIn: z.boolean(),
  name: z.string(),
  roles: z.array(z.string()),
  scopes: z.array(z.string()),
})

const READING: Readonly<Record<z.output<typeof input>['as'], ScopeSet>> = {
  member: ScopeSet.of([...SCOPES_OF_AUDIENCE.member].filter((scope) => scope !== 'account:write')),
  operator: UNREVIEWED_SCOPES,
}

const wire = wireTool(
  {
    name: 'sign_in',
    title: 'Sign in',
    description:
      'Starts a login: call this when the person wants something that needs their account, such as their own courses or the running of the school. It answers with an authorization challenge that makes the client open the school’s login and consent page, and changes nothing by itself. After the login more tools are listed.',
    annotations: READS,
    input,
    output,
  },
  READING.member,
)

/**
 * Gives the challenge on purpose. Many clients offer a login only after they met a 401, and an
 * anonymous connection never meets one.
 */
export const SIGN_IN: Tool = {
  name: wire.name,
  existsAt: everywhere,
  wireFor: (caller) => (caller === undefined ? wire : undefined),
  needs: (given) => {
    const asked = input.safeParse(given ?? {})
    return asked.success ? READING[asked.data.as] : READING.member
  },
  run: async (call) => {
    const { caller } = signedIn(call, ScopeSet.empty)
    return {
      signedIn: true,
      name: caller.person.name,
      roles: [...caller.roles],
      scopes: caller.scopes.toArray(),
    }
  },
}
