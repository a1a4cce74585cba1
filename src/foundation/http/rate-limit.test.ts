import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { addressBucket } from '../net/address.ts'
import { clientAddress, trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import { createRateLimiter, rateLimitFields, rateLimitHook } from './rate-limit.ts'
import { createHttpServer } from './server.ts'

const policy = { name: 'token', quota: 10, windowSeconds: 5 }

function aLimiter(maxKeys?: number) {
  const clock = { ms: 1_000_000 }
  const options = { now: () => clock.ms, ...(maxKeys === undefined ? {} : { maxKeys }) }
  return { clock, limiter: createRateLimiter(policy, options) }
}

describe('createRateLimiter', () => {
  test('allows a burst up to the quota, refuses the next request and says when to retry', () => {
    const { limiter } = aLimiter()
    for (let left = 9; left >= 0; left--) {
      expect(limiter.take('a')).toMatchObject({ allowed: true, remaining: left })
    }
    expect(limiter.take('a')).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 5,
      retryAfterSeconds: 1,
    })
  })

  test('refills steadily and never beyond the quota', () => {
    const { clock, limiter } = aLimiter()
    for (let i = 0; i < 10; i++) limiter.take('a')
    clock.ms += 499
    expect(limiter.take('a').allowed).toBe(false)
    clock.ms += 1
    expect(limiter.take('a').allowed).toBe(true)
    clock.ms += 3_600_000
    expect(limiter.take('a').remaining).toBe(9)
  })

  test('refused requests do not count: waiting for Retry-After is enough', () => {
    const { clock, limiter } = aLimiter()
    for (let i = 0; i < 500; i++) limiter.take('a')
    clock.ms += 1000
    expect(limiter.take('a').allowed).toBe(true)
  })

  test('a clock that goes back gives no extra requests', () => {
    const { clock, limiter } = aLimiter()
    for (let i = 0; i < 10; i++) limiter.take('a')
    clock.ms -= 60_000
    expect(limiter.take('a').allowed).toBe(false)
  })

  test('counts each key apart, and deletes the least recently used key to bound the memory', () => {
    const { limiter } = aLimiter(3)
    for (let i = 0; i < 10; i++) limiter.take('busy')
    for (const key of ['x', 'y']) limiter.take(key)
    expect(limiter.take('busy').allowed).toBe(false)
    limiter.take('z')
    expect(limiter.take('busy').allowed).toBe(false)
    expect(limiter.take('x').remaining).toBe(9)
  })
})

test('an account pays what work costs, goes into debt and is refused until the debt is paid', () => {
  const { clock, limiter } = aLimiter()
  const account = limiter.open('a')
  account.spend(14)
  expect(account.debt()).toBe(4)
  expect(limiter.open('a').decide()).toEqual({
    allowed: false,
    remaining: 0,
    resetSeconds: 7,
    retryAfterSeconds: 3,
  })
  expect(limiter.open('b').decide().allowed).toBe(true)
  clock.ms += 2500
  expect(limiter.open('a').decide()).toMatchObject({ allowed: true, remaining: 1 })
})

test('rateLimitFields are structured fields, with Retry-After only on a refusal', () => {
  const decision = { allowed: true, remaining: 3, resetSeconds: 4, retryAfterSeconds: 0 }
  expect(rateLimitFields(policy, decision)).toEqual({
    'ratelimit-policy': '"token";q=10;w=5',
    ratelimit: '"token";r=3;t=4',
  })
  expect(rateLimitFields(policy, { ...decision, allowed: false, retryAfterSeconds: 2 })).toEqual(
    expect.objectContaining({ 'retry-after': '2' }),
  )
})

describe('rateLimitHook', () => {
  function aServer() {
    const logger = createLogger({ level: 'silent' })
    const app = createHttpServer({ logger, trust: trustNoProxy })
    const { limiter } = aLimiter()
    let handled = 0
    const keyOf = (request: FastifyRequest) =>
      request.headers['x-uncounted'] === undefined
        ? addressBucket(clientAddress(request))
        : undefined
    app.get('/', { onRequest: rateLimitHook(limiter, keyOf) }, async () => {
      handled++
      return {}
    })
    return { app, handled: () => handled }
  }

  test('answers 429 with Retry-After and the RateLimit fields before the handler runs', async () => {
    const { app, handled } = aServer()
    for (let i = 0; i < 10; i++) expect((await app.inject('/')).statusCode).toBe(200)
    const response = await app.inject('/')
    expect(response.statusCode).toBe(429)
    expect(response.headers).toMatchObject({
      'retry-after': '1',
      ratelimit: '"token";r=0;t=5',
      'ratelimit-policy': '"token";q=10;w=5',
    })
    expect(response.json().error_description).toContain('Try again in 1 s')
    expect(handled()).toBe(10)
  })

  test('does not count another address or a request without a key', async () => {
    const { app } = aServer()
    for (let i = 0; i < 11; i++) await app.inject('/')
    expect((await app.inject({ url: '/', remoteAddress: '192.0.2.1' })).statusCode).toBe(200)
    const uncounted = await app.inject({ url: '/', headers: { 'x-uncounted': '1' } })
    expect(uncounted.statusCode).toBe(200)
    expect(uncounted.headers).not.toHaveProperty('ratelimit')
  })
})
