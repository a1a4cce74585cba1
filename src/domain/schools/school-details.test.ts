import { describe, expect, test } from 'vitest'
import { trustNoProxy } from '../../foundation/http/client-address.ts'
import { readOrigin } from '../../foundation/http/origin.ts'
import { parseOrigin } from './school-details.ts'

describe('an origin gets its normal form', () => {
  const spellings: readonly (readonly [string, string])[] = [
    ['https://school.example', 'https://school.example'],
    ['  https://School.Example/ ', 'https://school.example'],
    ['HTTPS://school.example:443', 'https://school.example'],
    ['https://school.example.:8443', 'https://school.example:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://harbor.localhost:80', 'http://harbor.localhost'],
    ['http://demo.test', 'http://demo.test'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ]
  for (const [typed, origin] of spellings) {
    test(`${typed} is ${origin}`, () => {
      expect(parseOrigin(typed)).toEqual({ ok: true, origin })
    })

    test(`a request to ${origin} is read as the same text`, () => {
      const [scheme, host = ''] = origin.split('://')
      const source = {
        url: '/',
        headers: {},
        rawHeaders: ['Host', host],
        remoteAddress: '127.0.0.1',
        encrypted: scheme === 'https',
      }
      expect(readOrigin(source, trustNoProxy)).toEqual({ origin })
    })
  }
})

describe('a text that is not an origin is refused with a reason', () => {
  for (const typed of [
    '',
    'school.example',
    'ftp://school.example',
    'https://school.example/path',
    'https://school.example?x',
    'https://school.example#x',
    'https://user@school.example',
    'https://school.example:99999',
    'https://',
    'https://a b.example',
    'https://school..example',
    'https://-school.example',
    'https://school.example\\evil.example',
    `https://${'a'.repeat(64)}.example`,
    'http://school.example',
    'http://127.0.0.1.example',
    'http://test',
  ]) {
    test(JSON.stringify(typed), () => {
      expect(parseOrigin(typed)).toMatchObject({ ok: false, problem: expect.stringMatching(/\.$/) })
    })
  }
})
