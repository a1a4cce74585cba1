import Fastify from 'fastify'
import { expect, test } from 'vitest'
import type { School } from '../domain/schools/school.ts'
import { sha256 } from '../foundation/crypto/digest.ts'
import { findClientFault } from '../foundation/http/client-fault.ts'
import { OAuthError } from '../foundation/protocol/errors.ts'
import { BadTokens, GoodTokens } from './bad-tokens.ts'

const QUOTA = 10

/** A server that knows one good token, until it is revoked. */
function aServer() {
  const goodTokens = new GoodTokens()
  const badTokens = new BadTokens(
    { name: 'refused', quota: QUOTA, windowSeconds: 60 },
    goodTokens,
    { now: () => 0 },
  )
  const good = new Set(['Bearer good', 'Bearer other'])
  const app = Fastify()
  let checked = 0
  app.decorateRequest('school')
  app.addHook('onRequest', async (request) => {
    request.school = { id: String(request.headers['x-school'] ?? 'a') } as School
  })
  app.setErrorHandler((error, _request, reply) =>
    reply.code(findClientFault(error)?.status ?? 401).send(),
  )
  app.get('/', (request, reply) =>
    badTokens.count(request, reply, async () => {
      checked += 1
      if (good.has(String(request.headers.authorization))) return 'ok'
      if (request.headers.authorization === 'Bearer narrow') {
        throw new OAuthError('insufficient_scope', 'The scope is too narrow.')
      }
      throw new OAuthError('invalid_token', 'The token is unknown.')
    }),
  )
  return {
    send: async (token: string, { from = '192.0.2.1', school = 'a' } = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'x-school': school }
      return (await app.inject({ url: '/', remoteAddress: from, headers })).statusCode
    },
    issue: (token: string) => {
      good.add(`Bearer ${token}`)
      goodTokens.add('a', sha256(token))
    },
    revoke: (token: string) => good.delete(`Bearer ${token}`),
    checked: () => checked,
  }
}

async function drain(send: (token: string) => Promise<number>): Promise<void> {
  for (let sent = 0; sent < QUOTA; sent++) expect(await send('bad')).toBe(401)
  expect(await send('bad')).toBe(429)
}

test('bad tokens at one address are refused without a check, once too many came', async () => {
  const { send, checked } = aServer()
  await drain(send)
  const before = checked()
  expect(await send('bad')).toBe(429)
  expect(await send('good')).toBe(429)
  expect(checked()).toBe(before)
})

test('good tokens, and those that lack a scope, use nothing up', async () => {
  const { send } = aServer()
  expect(await send('bad')).toBe(401)
  for (let sent = 0; sent < 3 * QUOTA; sent++) {
    expect(await send('good')).toBe(200)
    expect(await send('narrow')).toBe(401)
  }
  expect(await send('bad')).toBe(401)
})

test('a token that was good lately is checked although strangers used everything up', async () => {
  const { send, revoke } = aServer()
  expect(await send('good')).toBe(200)
  await drain(send)
  expect(await send('good')).toBe(200)
  expect(await send('other')).toBe(429)
  revoke('good')
  expect(await send('good')).toBe(401)
  expect(await send('good')).toBe(429)
})

test('a token that was just given out is checked although it was never used before', async () => {
  const { send, issue } = aServer()
  await drain(send)
  issue('new')
  expect(await send('new')).toBe(200)
  expect(await send('new', { school: 'b' })).toBe(200)
  expect(await send('bad')).toBe(429)
})

test('what happened at one school does not count at another', async () => {
  const { send } = aServer()
  await drain(send)
  expect(await send('good', { school: 'b' })).toBe(200)
  expect(await send('bad', { school: 'b' })).toBe(401)
})

test('the owner of an IPv6 network gets no fresh allowance by changing addresses', async () => {
  const { send } = aServer()
  const statuses: number[] = []
  for (let net = 0; net < 5 * QUOTA; net++) {
    statuses.push(await send('bad', { from: `2001:db8:1:${net.toString(16)}::1` }))
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(4 * QUOTA)
})

test('requests at the same time do not all find something left', async () => {
  const { send } = aServer()
  expect(await send('bad')).toBe(401)
  const statuses = await Promise.all(Array.from({ length: 3 * QUOTA }, () => send('bad')))
  expect(statuses.filter((status) => status === 401)).toHaveLength(QUOTA - 1)
})
