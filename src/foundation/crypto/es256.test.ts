import { calculateJwkThumbprint, importJWK, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { generateEs256Key, readPrivateKey, signEs256 } from './es256.ts'

describe('ES256', () => {
  const pair = generateEs256Key()

  test('a signature made here verifies with jose', async () => {
    const token = signEs256(readPrivateKey(pair.privateKey), pair.kid, { sub: 'ada' })
    const key = await importJWK({ ...pair.publicJwk }, 'ES256')
    const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: ['ES256'] })
    expect(payload.sub).toBe('ada')
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: pair.kid, typ: 'JWT' })
  })

  test('the kid is the RFC 7638 thumbprint', async () => {
    expect(pair.kid).toBe(await calculateJwkThumbprint({ ...pair.publicJwk }))
  })

  test('no kid begins with a hyphen or an underscore', () => {
    const firsts = Array.from({ length: 300 }, () => generateEs256Key().kid.charAt(0))
    expect(firsts.filter((first) => !/[A-Za-z0-9]/.test(first))).toEqual([])
  })
})
