import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import type { Answer } from '../support/browser-like.ts'
import { cpuOf } from '../support/cpu.ts'
import { aToken, postGraphQL } from '../support/member-api.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'
import { post } from './mcp/tool-endpoint.ts'

/**
 * Objects with many members and deep lists: for schemas and copies they cost far more than for the
 * network.
 */

const world = await sharedWorld()
let school: TestSchool
let operator: OperatorClient
let memberToken: string

beforeAll(async () => {
  school = await world.aSchool()
  operator = await anOperator(world, school)
  memberToken = await aToken(world, school, await world.aMember(school))
})

/** `count` short members, without the braces around them. */
const members = (count: number): string =>
  Array.from({ length: count }, (_, n) => `"k${n.toString(36)}":0`).join()

const WIDE = members(104_000)
  .slice(0, 992_000)
  .replace(/,[^,]*$/, '')
const DEEP = `${'['.repeat(400_000)}${']'.repeat(400_000)}`

const message = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`

const MESSAGES = {
  ping: (inside: string) => message('ping', inside),
  'tools/list with _meta': (inside: string) => message('tools/list', `"_meta":{${inside}}`),
  'tools/call': (inside: string) =>
    message('tools/call', `"name":"search","arguments":{"query":"x",${inside}}`),
  initialize: (inside: string) => message('initialize', `"capabilities":{${inside}}`),
  'an unknown method': (inside: string) => message('no/such', inside),
  'a notification': (inside: string) =>
    `{"jsonrpc":"2.0","method":"notifications/initialized","params":{${inside}}}`,
} as const

function expectShort(answer: Answer, ...statuses: number[]): void {
  expect(statuses, answer.body.slice(0, 200)).toContain(answer.statusCode)
  expect(answer.body.length).toBeLessThan(4000)
}

describe('wide JSON at the tool endpoint', () => {
  for (const [name, write] of Object.entries(MESSAGES)) {
    verifies(
      'mcp.body-limit',
      `${name} without a token: a megabyte of members is 413`,
      async () => {
        expectShort(await post(world, school, write(WIDE)), 413)
      },
    )

    verifies('mcp.body-limit', `${name} without a token: 64 KiB of members is 400`, async () => {
      expectShort(await post(world, school, write(members(7000))), 400)
    })

    verifies('mcp.body-limit', `${name} with a token: a megabyte of members is 400`, async () => {
      const token = operator.accessToken
      expectShort(await post(world, school, write(WIDE), { token }), 400)
    })
  }

  test('a stranger may send a text of nearly 64 KiB, and a known caller one of nearly 1 MiB', async () => {
    const ping = (length: number) => message('ping', `"filler":"${'x'.repeat(length)}"`)
    const token = operator.accessToken
    expect((await post(world, school, ping(65_000))).statusCode).toBe(200)
    expect((await post(world, school, ping(66_000))).statusCode).toBe(413)
    expect((await post(world, school, ping(1_000_000), { token })).statusCode).toBe(200)
    expect((await post(world, school, ping(1_100_000), { token })).statusCode).toBe(413)
  })

  test('a token that is not accepted does not make a stranger known', async () => {
    const answer = await post(world, school, MESSAGES.ping(WIDE), { token: 'sg_at_made-up' })
    expect(answer.statusCode).toBe(401)
  })

  test('the dearest message of a stranger costs little more than the longest text', async () => {
    const text = message('ping', `"filler":"${'x'.repeat(60_000)}"`)
    const wide = MESSAGES['tools/call'](members(900))
    const send = (body: string) => () => post(world, school, body)
    await cpuOf(send(wide), 20)
    const floor = 5
    const least = await cpuOf(send(text), 20)
    expect(await cpuOf(send(wide), 20)).toBeLessThan(10 * least + floor)
  })
})

describe('wide and deep JSON of known callers', () => {
  verifies(
    'house.limits.json-shape',
    'a body of the REST API with 104,000 members is 400',
    async () => {
      expectShort(await operator.send('POST', '/posts', { body: `{${WIDE}}` }), 400)
    },
  )

  verifies(
    'house.limits.json-shape',
    '400,000 nested lists with an Idempotency-Key are 400, not 500',
    async () => {
      const headers = { 'idempotency-key': 'deep' }
      expectShort(
        await operator.send('POST', '/posts', { body: `{"title":${DEEP}}`, headers }),
        400,
      )
      expectShort(await operator.send('POST', '/posts', { body: `{"title":${DEEP}}` }), 400)
    },
  )

  verifies(
    'house.limits.json-shape',
    'lines of an import with 104,000 members are refused, each by itself',
    async () => {
      const lines = [`{${WIDE}}`, `{"a":${DEEP}}`, '{"slug":"fine","title":"Fine"}', `{${WIDE}}`]
      const answer = await operator.send('POST', '/posts/import', {
        body: lines.join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      expectShort(answer, 200)
      expect(answer.json()).toMatchObject({ rows: 4, created: 1, failed: 3, complete: true })
    },
  )

  verifies(
    'house.limits.json-shape',
    'a list of an import in CSV that is nested too deep is refused',
    async () => {
      const answer = await operator.send('POST', '/courses/import', {
        body: `slug,title,lecturer_ids\nfine,Fine,"${'['.repeat(100_000)}"`,
        headers: { 'content-type': 'text/csv' },
      })
      expectShort(answer, 200)
      expect(answer.json()).toMatchObject({ rows: 1, failed: 1 })
    },
  )

  verifies(
    'house.limits.json-shape',
    'a heading with 200,000 columns is refused as a whole',
    async () => {
      const answer = await operator.send('POST', '/posts/import', {
        body: `${'a,'.repeat(200_000)}\n`,
        headers: { 'content-type': 'text/csv' },
      })
      expectShort(answer, 422)
    },
  )

  verifies(
    'house.limits.json-shape',
    'variables of a Member API request with 104,000 members are 400',
    async () => {
      const body = `{"query":"{ __typename }","variables":{${WIDE}}}`
      expectShort(await postGraphQL(world, school, memberToken, body), 400)
      expectShort(
        await postGraphQL(
          world,
          school,
          memberToken,
          `{"query":"{ __typename }","variables":${DEEP}}`,
        ),
        400,
      )
    },
  )

  verifies(
    'house.limits.json-shape',
    'a registration with thousands of members is invalid_client_metadata',
    async () => {
      const send = (payload: string) =>
        world.app.inject({
          method: 'POST',
          url: '/api/oauth/register',
          headers: { host: new URL(school.origin).host, 'content-type': 'application/json' },
          payload,
        })
      expectShort(await send(`{${members(6000)}}`), 400)
      expectShort(await send(`{"client_name":"Claude","a":${'['.repeat(30_000)}`), 400)
      expectShort(await send(`{${WIDE}}`), 413)
    },
  )
})
