import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { TooManyRequestsError } from '../../foundation/http/rate-limit.ts'
import { mintToken } from '../../foundation/protocol/token-format.ts'
import { RefreshPace } from './token-routes.ts'

const aRefreshToken = (): string => mintToken('refresh', uuidv7()).value

function aReply(): FastifyReply & { readonly sent: Record<string, string> } {
  const sent: Record<string, string> = {}
  const reply = { sent, headers: (fields: Record<string, string>) => Object.assign(sent, fields) }
  return reply as unknown as FastifyReply & { readonly sent: Record<string, string> }
}

/** One refresh that succeeds; returns the next token. */
function refreshed(pace: RefreshPace, token: string): string {
  const chain = pace.check(token, aReply())
  const next = aRefreshToken()
  if (chain !== undefined) pace.count(chain, next)
  return next
}

test('a chain of refreshes without end is slowed down, and says when to go on', () => {
  const pace = new RefreshPace(10)
  let token = aRefreshToken()
  for (let time = 0; time < 10; time++) token = refreshed(pace, token)
  const reply = aReply()
  expect(() => pace.check(token, reply)).toThrow(TooManyRequestsError)
  expect(reply.sent).toMatchObject({ 'ratelimit-policy': '"refresh";q=10;w=3600' })
  expect(Number(reply.sent['retry-after'])).toBeGreaterThan(1)
  expect(pace.check(aRefreshToken(), aReply())).toBeDefined()
})

test('many children of one token count together; what was refused counts nothing', () => {
  const pace = new RefreshPace(10)
  const token = aRefreshToken()
  for (let time = 0; time < 100; time++) pace.check(token, aReply())
  for (let time = 0; time < 10; time++) refreshed(pace, token)
  expect(() => pace.check(token, aReply())).toThrow(TooManyRequestsError)
})

test('a text that is no refresh token belongs to no chain', () => {
  expect(new RefreshPace(1).check('made up', aReply())).toBeUndefined()
  expect(new RefreshPace(1).check(undefined, aReply())).toBeUndefined()
})
