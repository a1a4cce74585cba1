import { calculateJwkThumbprint, importJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { generateEs256Key, parseEs256, readPrivateKey, signEs256 } from './es256.ts'

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

  test('a signature that jose made is accepted with its key, and with no other', async () => {
    const key = readPrivateKey(pair.privateKey)
    const header = { alg: 'ES256', kid: pair.kid }
    const token = await new SignJWT({ sub: 'ada' }).setProtectedHeader(header).sign(key)
    const jws = parseEs256(token)
    expect(jws?.kid).toBe(pair.kid)
    expect(jws?.claimsIfSignedBy(pair.publicJwk)).toEqual({ sub: 'ada' })
    expect(jws?.claimsIfSignedBy(generateEs256Key().publicJwk)).toBeUndefined()
  })

  test('another algorithm, an unknown critical header and anything that is no JWS are not read', () => {
    const token = signEs256(readPrivateKey(pair.privateKey), pair.kid, { sub: 'ada' })
    const [, payload = '', signature = ''] = token.split('.')
    const withHeader = (header: object) =>
      `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`
    const { kid } = pair
    const wrong = [
      ...[{ alg: 'none', kid }, { alg: 'HS256', kid }, { alg: 'es256', kid }, { kid }].map(
        withHeader,
      ),
      ...[{ alg: 'ES256' }, { alg: 'ES256', kid: 7 }, { alg: 'ES256', kid: `${kid}\0` }].map(
        withHeader,
      ),
      ...[{ alg: 'ES256', kid, crit: ['exp'] }, null as unknown as object].map(withHeader),
      ...['', '..', 'a.b.c', `${token}.`, ` ${token}`, token.slice(0, -1), `${token}=`],
    ]
    for (const text of wrong) expect(parseEs256(text), text).toBeUndefined()
  })
})
