import { describe, expect, test } from 'vitest'
import {
  SCOPES_OF_AUDIENCE,
  UNREVIEWED_SCOPES,
} from '../../../src/domain/clients/scope-catalogue.ts'
import { MEMBER_TOOLS } from '../../../src/surfaces/mcp/member/member-tools.ts'
import { OPERATOR_TOOLS } from '../../../src/surfaces/mcp/operator/operator-tools.ts'
import { verifies } from '../../spec/verifies.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { aTool } from '../../support/tools.ts'
import { demoSchoolsAt, demoToken, post, postModern, request } from './tool-endpoint.ts'

const world = await aDemoWorld()
const schoolOf = await demoSchoolsAt(world)
const demo = await schoolOf('demo')
const operatorScopes = SCOPES_OF_AUDIENCE.operator.toString()
const client = await aTool(world, demo, { slug: 'further', scopes: operatorScopes.split(' ') })
const operator = (scope: string) => demoToken(world, demo, 'owner@demo.test', scope, client)
const member = (scope: string) => demoToken(world, demo, 'ada@demo.test', scope)

interface Seen {
  readonly instructions: string
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly refusal: string
}

async function seenWith(token?: string): Promise<Seen> {
  const discovered = await postModern(world, demo, 'server/discover', {}, { token })
  const listed = await post(world, demo, request('tools/list'), { token })
  const unknown = request('tools/call', { name: 'update_course', arguments: {} })
  const refused = await post(world, demo, unknown, { token })
  return {
    instructions: discovered.json().result.instructions,
    tools: listed.json().result.tools,
    refusal: refused.json().error.message,
  }
}

const descriptionOf = ({ tools }: Seen, name: string) =>
  tools.find((tool) => tool.name === name)?.description

describe('a token that only reads', async () => {
  const seen = await seenWith(await operator(UNREVIEWED_SCOPES.toString()))
  const changes = OPERATOR_TOOLS.filter(({ name }) => name.startsWith('change_'))

  verifies('mcp.further', 'of an operator learns every tool that changes something', () => {
    expect(changes).toHaveLength(6)
    for (const { name, scopes } of changes) {
      const named = `${name} (${scopes.minus(UNREVIEWED_SCOPES).toArray().join(', ')})`
      expect(seen.instructions).toContain(named)
      expect(seen.refusal).toContain(named)
      expect(seen.tools.map((tool) => tool.name)).not.toContain(name)
      const reading = descriptionOf(seen, name.replace('change_', 'read_'))
      expect(reading).toContain(`Changed by, with more scopes: ${named}.`)
      expect(reading?.length).toBeLessThanOrEqual(1024)
    }
    expect(seen.refusal).toContain('There is no tool called "update_course"')
    expect(seen.instructions).not.toContain('read_')
    expect(seen.instructions.length).toBeLessThan(1600)
  })

  verifies(
    'mcp.further',
    'of a member learns the changes to notifications, no others',
    async () => {
      const { instructions, refusal, tools } = await seenWith(await member('account:read'))
      const names =
        'mark_notification_read mark_all_notifications_read update_notification_subscription'
      for (const name of names.split(' ')) {
        expect(instructions).toContain(`${name} (account:write)`)
        expect(refusal).toContain(`${name} (account:write)`)
      }
      expect(instructions + refusal).not.toContain('change_')
      const inbox = tools.find(({ name }) => name === 'my_notifications')
      expect(inbox?.description).toContain('mark_notification_read (account:write)')
    },
  )
})

verifies('mcp.further', 'a tool of which only some actions are listed is named too', async () => {
  const { instructions } = await seenWith(await operator('courses:read courses:write'))
  expect(instructions).toMatch(/read_teaching \([^)]*comments:read[^)]*\)/)
  expect(instructions).not.toMatch(/change_teaching \([^)]*courses:write/)
})

verifies('mcp.further', 'with every scope there is nothing more to name', async () => {
  for (const token of [
    await operator(operatorScopes),
    await member('account:read account:write'),
  ]) {
    const { instructions, tools, refusal } = await seenWith(token)
    expect(instructions + refusal).not.toContain('once the token has')
    expect(JSON.stringify(tools)).not.toContain('with more scopes')
  }
})

test('a caller without a token is told to sign in', async () => {
  const { instructions, refusal } = await seenWith()
  expect(refusal).toContain('call sign_in')
  expect(instructions + refusal).not.toContain('change_')
})

test('every tool that changes something is named by one that shows it', () => {
  const all = [...MEMBER_TOOLS, ...OPERATOR_TOOLS]
  const named = all.flatMap(({ changedBy }) => changedBy)
  const writing = all.filter(({ scopes }) => /:write/.test(scopes.toString()))
  expect(named.sort()).toEqual(writing.map(({ name }) => name).sort())
})
