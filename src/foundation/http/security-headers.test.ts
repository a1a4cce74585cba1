import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { apiHeaders, pageHeaders, policyWithScript, setPageHeaders } from './security-headers.ts'

describe('pageHeaders', () => {
  test('a page with a script of ours names that file, and no other may run', () => {
    const policy = policyWithScript('https://school.example', '/assets/copy.3f2a91c0b7d4.js')
    expect(policy).toMatch(
      /; script-src https:\/\/school\.example\/assets\/copy\.3f2a91c0b7d4\.js$/,
    )
    expect(
      policy.startsWith(
        `${pageHeaders('https://school.example', 'site')['content-security-policy']};`,
      ),
    ).toBe(true)
  })

  test('allow no foreign resources, no framing and no storing', () => {
    const headers = pageHeaders('https://a.test', 'site')
    const policy = headers['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).not.toMatch(/script-src|unsafe|https?:|data:|\*/)
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
  })

  test('of authorization pages do not block the client’s callback by form-action or opener policy', () => {
    const headers = pageHeaders('https://a.test', 'authorization')
    expect(headers['content-security-policy']).not.toContain('form-action')
    expect(headers['content-security-policy']).not.toContain('script-src')
    expect(headers).not.toHaveProperty('cross-origin-opener-policy')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['cache-control']).toBe('no-store')
  })

  test('have Strict-Transport-Security only on https', () => {
    for (const kind of ['site', 'authorization'] as const) {
      expect(pageHeaders('https://a.test', kind)).toHaveProperty('strict-transport-security')
      expect(pageHeaders('http://localhost:3000', kind)).not.toHaveProperty(
        'strict-transport-security',
      )
    }
  })

  test('are set on a reply, redirects included', async () => {
    const app = fastify()
    app.get('/', (_request, reply) =>
      setPageHeaders(reply, 'http://a.test', 'site').redirect('/next', 303),
    )
    const response = await app.inject('/')
    expect(response.statusCode).toBe(303)
    expect(response.headers['x-frame-options']).toBe('DENY')
  })
})

test('apiHeaders forbid storing answers with tokens and allow storing constant documents', () => {
  expect(apiHeaders('no-store')).toEqual({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(apiHeaders('cacheable')).toEqual({ 'x-content-type-options': 'nosniff' })
})
