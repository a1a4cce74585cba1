import { fastify } from 'fastify'
import { describe, expect, test } from 'vitest'
import { constantDocument, matchesNone, sendDocument } from './conditional.ts'

describe('matchesNone (RFC 9110 §13.1.2)', () => {
  test.each([
    [undefined, true],
    ['', true],
    ['"b"', true],
    ['"a"', false],
    ['W/"a"', false],
    ['"x", W/"y" ,"a"', false],
    ['*', false],
    [' * ', false],
    ['a', true],
    ['"a', true],
    ['"A"', true],
  ])('%j: %s', (header, expected) => {
    expect(matchesNone(header, '"a"')).toBe(expected)
  })

  test('a tag with a comma inside is one tag', () => {
    expect(matchesNone('"a,b"', '"a,b"')).toBe(false)
    expect(matchesNone('"a,b"', '"b"')).toBe(true)
  })
})

describe('sendDocument', () => {
  const document = constantDocument({ issuer: 'https://a.test' }, { maxAgeSeconds: 300 })
  const app = fastify()
  app.get('/', (request, reply) => sendDocument(request, reply, document))

  test('sends the document with a strong tag and a lifetime', async () => {
    const response = await app.inject('/')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ issuer: 'https://a.test' })
    expect(response.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      'cache-control': 'public, max-age=300',
      'content-type': 'application/json; charset=utf-8',
    })
  })

  test('answers 304 without a body to a client that has the document, with the headers that a cache refreshes', async () => {
    const response = await app.inject({ url: '/', headers: { 'if-none-match': document.etag } })
    expect(response.statusCode).toBe(304)
    expect(response.body).toBe('')
    expect(response.headers).toMatchObject({
      etag: document.etag,
      'cache-control': 'public, max-age=300',
    })
    expect(response.headers).not.toHaveProperty('content-type')
  })

  test('answers HEAD with the headers only', async () => {
    const response = await app.inject({ method: 'HEAD', url: '/' })
    expect(response.headers.etag).toBe(document.etag)
    expect(response.body).toBe('')
  })

  test('the tag changes with the content and only with it', () => {
    const again = constantDocument({ issuer: 'https://a.test' }, { maxAgeSeconds: 1 })
    const other = constantDocument({ issuer: 'https://b.test' }, { maxAgeSeconds: 1 })
    expect(again.etag).toBe(document.etag)
    expect(other.etag).not.toBe(document.etag)
  })
})
