import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { clientAddress, parseTrustProxy } from './client-address.ts'

async function addressSeen(trust: string, remoteAddress: string, forwardedFor?: string) {
  const { trusts } = parseTrustProxy(trust)
  const app = fastify({ trustProxy: trusts })
  app.get('/', async (request) => clientAddress(request))
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const response = await app.inject({ url: '/', remoteAddress, headers })
  return response.body
}

describe('clientAddress', () => {
  test('an untrusted peer cannot choose its address', async () => {
    expect(await addressSeen('10.0.0.0/8', '192.0.2.1', '203.0.113.9')).toBe('192.0.2.1')
  })

  test('a trusted proxy names the caller; entries that the caller sent are ignored', async () => {
    const seen = await addressSeen('10.0.0.0/8', '10.0.0.1', '1.2.3.4, 203.0.113.9, 10.0.0.2')
    expect(seen).toBe('203.0.113.9')
  })

  test('ports and mapped addresses are removed', async () => {
    expect(await addressSeen('10.0.0.0/8', '10.0.0.1', '203.0.113.9:4711')).toBe('203.0.113.9')
    expect(await addressSeen('10.0.0.0/8', '10.0.0.1', '[2001:db8::1]:4711')).toBe('2001:db8::1')
    expect(await addressSeen('', '::ffff:192.0.2.1')).toBe('192.0.2.1')
  })

  test('an entry that is not an address gives the address of the peer', async () => {
    expect(await addressSeen('10.0.0.0/8', '10.0.0.1', 'x'.repeat(5000))).toBe('10.0.0.1')
  })
})
