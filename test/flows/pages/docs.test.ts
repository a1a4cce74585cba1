import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { disableClient, enableClient } from '../../../src/domain/clients/client-operations.ts'
import { EXPLORER_CLIENT_ID } from '../../../src/domain/clients/explorer-client.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { commandsAt } from '../../support/guide-commands.ts'
import { outputOf, performByCommandLine } from '../../support/performing.ts'
import { aTool } from '../../support/tools.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

/** The text of the guide without markup. */
async function guideAt(school: TestSchool): Promise<string> {
  const { body, statusCode } = await new Visitor(world, school).get('/docs')
  expect(statusCode).toBe(200)
  return body
    .slice(body.indexOf('<main'), body.indexOf('</main>'))
    .replace(/<nav[\s\S]*<\/nav>/, ' ')
    .replace(/<\/(?:p|pre|li|h\d)>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}

const school = await world.aSchool()
const guide = await guideAt(school)

verifies('guide.flow-order', 'the guide has the steps from discovery to sign-out in order', () => {
  const steps = [
    '1. Discover',
    '2. Choose',
    '3. Get a client_id',
    '4. Send the person here',
    '5. Use it',
    '6. Read refusals',
    'Sign out',
  ]
  const places = steps.map((step) => guide.indexOf(step))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})

verifies('guide.discover-first', 'the guide starts with the metadata', () => {
  expect(guide).toContain('Read the metadata first')
  expect(guide).toContain('do not wait for a 401')
})

verifies('guide.agent-auth', 'the guide says that a program gets no token on its own', () => {
  expect(guide).toContain('A program cannot get one on its own: there are no service accounts')
  expect(guide).toContain('no token comes first with the person’s approval later')
})

verifies('guide.store-resource', 'the guide says to keep the resource with the token', () => {
  expect(guide).toContain(
    'Store the resource that you sent together with the token, and compare it',
  )
})

verifies('guide.verify-id-token', 'the guide lists the checks of an ID token', () => {
  const section = guide.slice(guide.indexOf('ID tokens'))
  for (const part of ['ES256', 'kid', 'iss', 'aud', 'exp', 'nonce', 'use UserInfo']) {
    expect(section).toContain(part)
  }
})

verifies(
  ['guide.sign-out', 'guide.sign-out.each-device'],
  'the guide says how a session ends, and on which device',
  () => {
    expect(guide).toContain('Revoke the refresh token: that always ends the pair, also when the')
    expect(guide).toContain(
      'your client revokes the pair of a device when the person signs out on that device',
    )
  },
)

verifies(
  'guide.end-session',
  'the guide names the end_session_endpoint where there is one',
  async () => {
    expect(guide).toContain(`${school.origin}/oauth/logout?id_token_hint=`)
    for (const variant of ['newer', 'older'] as const) {
      const unsigned = await guideAt(await world.aSchool({ variant, signing: 'none' }))
      expect(unsigned).not.toContain('/oauth/logout')
      expect(unsigned).toContain('it has no end_session_endpoint')
      expect(unsigned).toContain('Tell them your redirect URIs and your scopes.')
      const signs = await world.aSchool({ variant })
      const signed = await guideAt(signs)
      expect(signed).toContain(`${signs.origin}/oauth/logout`)
      expect(signed).toContain('redirect URIs, also those after sign-out, and your scopes.')
    }
  },
)

test('the guide says how long an answer of a tool may be', () => {
  expect(guide).toContain('at most 80,000 characters, unless one item of a list alone is longer;')
})

verifies('guide.lost-refresh', 'the guide says until when a refresh may be retried', () => {
  expect(guide).toContain('until you first use the new access token')
  expect(guide).toContain('send the old refresh token again')
})

verifies('guide.narrowed', 'the guide says that the school may take a scope away', () => {
  expect(guide).toContain('Read scope in every answer')
})

verifies(
  'guide.documents.check-first',
  'the guide says to check the support of documents first, and what this origin says',
  async () => {
    const sentence = 'only if it is true may a client_id be a URL. Here it is'
    expect(guide).toContain(`First check client_id_metadata_document_supported`)
    expect(guide).toContain(`${sentence} false, so this way is closed at present.`)
    const open = await guideAt(await world.aSchool({ openRegistration: true }))
    expect(open).toContain(`${sentence} true: publish`)
  },
)

verifies(
  ['guide.state', 'guide.nonce'],
  'the guide says to send and compare state, and nonce where ID tokens are signed',
  async () => {
    expect(guide).toContain('does not ask for state or nonce: send a new random value each time')
    expect(guide).toContain('with another state or an ID token with another nonce.')
    const unsigned = await guideAt(await world.aSchool({ variant: 'older', signing: 'none' }))
    expect(unsigned).toContain('does not ask for state: send a new random value each time')
    expect(unsigned).toContain('refuse an answer with another state.')
  },
)

verifies(
  ['guide.meetings.canceled', 'guide.meetings.next'],
  'the guide says what a schedule filters, and where the next meeting is',
  async () => {
    expect(guide).toContain('viewer.consultingMeetings has canceled meetings too')
    expect(guide).toContain('filter by state: [available, scheduled]')
    expect(guide).toContain(
      'next meeting, or the one that runs now, is last: 1 with endedAfter now, not first: 1',
    )
    const older = await guideAt(await world.aSchool({ variant: 'older', signing: 'none' }))
    expect(older).not.toContain('consultingMeetings')
  },
)

verifies('admin-api.write-only', 'the guide says that writing does not include reading', () => {
  expect(guide).toContain('A write scope does not include reading')
  expect(guide).toContain('answers only the id, the version and what you sent')
})

verifies(
  ['token.resource.in-url', 'scope.offline-access', 'register.unknown.known-names'],
  'the guide helps libraries that cannot add fields, and says what is ignored',
  async () => {
    const older = await world.aSchool({ variant: 'older', signing: 'none' })
    for (const [at, text] of [
      [school, guide],
      [older, await guideAt(older)],
    ] as const) {
      const resource = encodeURIComponent(at.origin)
      expect(text).toContain(`${at.origin}/api/oauth/token?resource=${resource}`)
      expect(text).toContain('You need no offline_access')
      expect(text).toContain('lists the names that are known here')
    }
  },
)

verifies('guide.match-errors-array', 'the guide tells clients to read the errors array', () => {
  expect(guide).toContain('errors array. Check the array, not only the status')
})

verifies(
  ['guide.billing-history', 'guide.not-my-bookings'],
  'the guide says where billing and bookings come from',
  () => {
    expect(guide).toContain('Build a billing history from viewer.payments')
    expect(guide).toContain('bankCode')
    expect(guide).toContain('The meetings of a consulting service are those of all members')
  },
)

verifies(
  'guide.assistants',
  'the guide gives assistants of members and operators their URL',
  async () => {
    for (const variant of ['newer', 'older'] as const) {
      const here = await world.aSchool({ variant })
      const text = await guideAt(here)
      const section = text.slice(text.indexOf('Connect an assistant'))
      const [members = '', operators = ''] = section.split('Owners and admins')
      expect(members).toContain(`${here.origin}/mcp/member`)
      expect(members).toContain('openid profile email account:read account:write')
      expect(members.includes('payments')).toBe(variant === 'newer')
      expect(operators).toContain(`${here.origin}/mcp.`)
      expect(operators).toContain('max_characters')
    }
  },
)

test('the guide begins with a list of its sections', async () => {
  const { body } = await new Visitor(world, school).get('/docs')
  const main = body.slice(body.indexOf('<main'))
  const [contents = ''] = /<nav class="side"[\s\S]*?<\/nav>/.exec(body) ?? []
  const listed = [...contents.matchAll(/<a href="#([\w-]+)">([^<]+)</g)].map(([, ...two]) => two)
  const sections = [...main.matchAll(/<section id="([\w-]+)"[\s\S]*?<h2>([^<]+)</g)]
  expect(listed.length).toBeGreaterThan(8)
  expect(listed).toEqual(sections.map(([, ...two]) => two))
})

test('the guide names the beta feature only where it is off', async () => {
  expect(guide).toContain('switched on the beta feature “MCP connections” under Settings')
  const beta = await guideAt(await world.aSchool({ mcpConnections: true }))
  expect(beta).not.toContain('MCP connections')
  expect(beta).toContain('Admin, Developers, OAuth applications. Tell them your redirect URIs')
  expect(beta).toContain('Admin, Developers, Operator tools, or')
})

test('the guide says where the code is, and what a confidential application adds', () => {
  const step = guide.slice(guide.indexOf('4. Send the person'), guide.indexOf('5. Use it'))
  expect(step).toContain('after Allow the browser shows an error page')
  expect(step).toContain('add -d client_secret=YOUR_SECRET after the address in this command')
  expect(step.indexOf('YOUR_SECRET')).toBeLessThan(step.indexOf('ANSWER=$(curl'))
})

test('the guide says what 401 invalid_client means, and how to add a platform', () => {
  expect(guide).toContain('401 invalid_client from the token endpoint')
  expect(guide).toContain('add a platform with schoolgate platform add')
})

test('where no ID tokens are signed, the guide says that assistants may ask for openid', async () => {
  const harmless = 'Here openid brings no ID token, and assistants need none.'
  expect(guide).not.toContain(harmless)
  const unsigned = await guideAt(await world.aSchool({ variant: 'older', signing: 'none' }))
  expect(unsigned).toContain(harmless)
  expect(unsigned).toContain('Assistants may ask for it: they use no ID token.')
})

test('every URL in the guide has the origin that shows it', () => {
  const addresses = guide.match(/https?:\/\/[^\s"'`?/]+/g) ?? []
  expect(addresses.length).toBeGreaterThan(10)
  const own = addresses.filter((address) => !/^http:\/\/(127\.0\.0\.1|localhost)/.test(address))
  expect(new Set(own.map((address) => address.replace(/[,)]$/, '')))).toEqual(
    new Set([school.origin]),
  )
})

test('the commands of the guide use the endpoints of discovery', async () => {
  const { body } = await new Visitor(world, school).get('/.well-known/oauth-authorization-server')
  const metadata = JSON.parse(body)
  for (const name of ['token_endpoint', 'revocation_endpoint', 'registration_endpoint']) {
    expect(guide).toMatch(new RegExp(`curl (-s )?${metadata[name]} `))
  }
  expect(guide).toContain(`${metadata.authorization_endpoint}?response_type=code`)
})

verifies(
  'guide.older-rules',
  'the guide of an older origin states its rules and names no feature that it lacks',
  async () => {
    const older = await guideAt(await world.aSchool({ variant: 'older', signing: 'none' }))
    expect(older).toContain('/api/oauth/introspect')
    expect(older).toContain('except by introspection at this origin')
    expect(older).toContain('The resource of a token is in aud')
    expect(older).toContain('token and client_id are all this origin asks for')
    expect(older).toContain('a missing scope is always a 403, for the whole query')
    expect(older).toContain('into the form body of the token and introspection endpoints')
    for (const newer of [
      'viewer.payments',
      'consultingMeetings',
      'bookings, payments',
      'unauthorized_client',
      'gives an entry in the errors array',
    ]) {
      expect(older).not.toContain(newer)
      expect(guide).toContain(newer)
    }
    for (const olderOnly of ['introspect', 'always a 403', 'all this origin asks for']) {
      expect(guide).not.toContain(olderOnly)
    }
  },
)

verifies(
  'guide.without-id-tokens',
  'where no ID tokens are signed, the guide asks without openid and nonce, and says why',
  async () => {
    expect(guide).toContain('SCOPE=openid+profile+')
    expect(guide).toContain('&nonce=')
    expect(guide).not.toContain('leave openid out')
    for (const signing of ['none', 'published'] as const) {
      for (const variant of ['newer', 'older'] as const) {
        const text = await guideAt(await world.aSchool({ variant, signing }))
        expect(text).toContain('does not sign ID tokens at the moment: use UserInfo')
        expect(text).toContain('leave openid out of scope')
        expect(text).toContain('SCOPE=profile+email+')
        expect(text).not.toContain('openid+')
        expect(text).not.toContain('nonce=')
        expect(text.includes('none of them signs yet')).toBe(signing === 'published')
      }
    }
  },
)

verifies('guide.graphql-clients', 'the guide has the settings of common GraphQL clients', () => {
  expect(guide).toContain('in urql set preferGetMethod: false')
  expect(guide).toContain('Apollo’s link notices that')
})

verifies(
  'guide.explorer',
  'the guide leads to the explorer only where the school has it switched on',
  async () => {
    expect(guide).not.toContain('the explorer')
    const beta = await world.aSchool({ mcpConnections: true })
    expect(await guideAt(beta)).toContain('the explorer')
    const input = { client_id: EXPLORER_CLIENT_ID }
    outputOf(await performByCommandLine(beta, disableClient, input))
    expect(await guideAt(beta)).not.toContain('the explorer')
    outputOf(await performByCommandLine(beta, enableClient, input))
    expect(await guideAt(beta)).toContain('the explorer')
  },
)

/** What a shell prints for these commands. */
const printed = (...commands: string[]): string =>
  execFileSync('/bin/sh', ['-c', commands.join('\n')], {
    env: process.env,
    encoding: 'utf8',
  }).trim()

/** The values of the guide for an audience, and the URL that its command prints with them. */
function addressOf(commands: readonly string[], audience: 'member' | 'operator', clientId: string) {
  const wanted = audience === 'member' ? 'account:read' : 'courses:read'
  const values = commands.find((text) => text.startsWith('CLIENT_ID=') && text.includes(wanted))
  const echo = commands.find((text) => text.startsWith('echo '))
  const set = String(values).replace(/CLIENT_ID=.*/, `CLIENT_ID=${clientId}`)
  return new URL(printed(set, `CHALLENGE=${'c'.repeat(43)}`, String(echo)))
}

for (const variant of ['newer', 'older'] as const) {
  const signing = variant === 'newer' ? 'active' : 'none'

  test(`the commands of the ${variant} guide print one URL, and the server accepts it for a member`, async () => {
    const at = await world.aSchool({ variant, signing })
    const { clientId } = await world.aPublicClient(at)
    const address = addressOf(await commandsAt(world, at), 'member', clientId)
    const answer = await new Visitor(world, at).get(address.pathname + address.search)
    expect(answer.headers.location).toMatch(/^\/sign-in/)
  })

  verifies(
    'guide.operator-tool',
    `the commands of the ${variant} guide lead an operator's own tool to REST and to a tool of /mcp`,
    async () => {
      const at = await world.aSchool({ variant, signing })
      const owner = await world.aMember(at, ['owner'])
      const { clientId } = await aTool(world, at, { slug: 'your-tool' })
      const commands = await commandsAt(world, at)
      const own = (text: string) => text.replaceAll('YOUR_TOOL', 'your-tool')
      const document = commands.find(
        (text) => text.startsWith('curl') && text.includes('/clients/'),
      )
      expect(own(String(document))).toBe(`curl ${clientId}`)

      const address = addressOf(commands, 'operator', clientId)
      expect(address.searchParams.get('client_id')).toBe(clientId)
      const scope = address.searchParams.get('scope') ?? ''
      const redirectUri = address.searchParams.get('redirect_uri') ?? ''
      const client = { clientId, secret: undefined, redirectUri }
      const { access_token } = await aPair(world, at, client, owner, { scope })

      const authorization = `Bearer ${access_token}`
      const headers = { host: new URL(at.origin).host, authorization }
      const rest = commands.find((text) => text.includes('/api/v1/courses')) ?? ''
      const url = /\/api\/v1\/courses[^"]*/.exec(rest)?.[0] ?? ''
      expect((await world.app.inject({ url, headers })).json()).toMatchObject({ object: 'list' })
      const payload = /-d '([^']*)'$/.exec(rest)?.[1] ?? ''
      const called = await world.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...headers, 'content-type': 'application/json' },
        payload,
      })
      expect(called.json().result.isError).not.toBe(true)
      expect(called.json().result.structuredContent.result).toMatchObject({ object: 'list' })
    },
  )
}

test('the guide of a school with only a tool announces documents, and says that no host is permitted', async () => {
  const at = await world.aSchool()
  expect(await guideAt(at)).toContain('Here it is false, so')
  await aTool(world, at)
  const text = await guideAt(at)
  expect(text).toContain('Here it is true: publish')
  expect(text).toContain('This school permits no host yet')
})

verifies(
  'guide.operator-tool',
  'the guide names the four ways to a client_id, and what generic clients need',
  () => {
    for (const part of [
      'For members',
      'For operators, with a tool of the school',
      'For operators, if you are a platform this server knows',
      'For operators, with your own metadata document',
      'mcp-remote and MCP Inspector',
      '--static-oauth-client-info',
    ]) {
      expect(guide).toContain(part)
    }
  },
)
