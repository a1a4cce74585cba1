import { describe, expect, test } from 'vitest'
import { checkSameOriginPost, ForgedPostError } from './cross-origin.ts'

const origin = 'https://a.test'

describe('checkSameOriginPost', () => {
  test.each([
    {},
    { origin },
    { origin, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('lets %j pass', (headers) => {
    expect(() => checkSameOriginPost(headers, origin)).not.toThrow()
  })

  test.each([
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://a.test' },
    { origin: 'https://a.test:8443' },
    { origin: 'https://a.test.evil.test' },
    { origin: 'https://sub.a.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin, 'sec-fetch-site': 'cross-site' },
  ])('refuses %j with 403', (headers) => {
    expect(() => checkSameOriginPost(headers, origin)).toThrow(ForgedPostError)
    try {
      checkSameOriginPost(headers, origin)
    } catch (error) {
      expect(error).toMatchObject({ status: 403 })
    }
  })
})
