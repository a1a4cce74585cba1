import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import { acceptForms, acceptJson } from './request-body.ts'
import { createHttpServer } from './server.ts'

const FORM_BODY_BYTES = 64 * 1024

const form = 'application/x-www-form-urlencoded'

function aServer() {
  const logger = createLogger({ level: 'silent' })
  const app = createHttpServer({ logger, trust: trustNoProxy })
  app.register(async (scope) => {
    acceptForms(
      scope,
      (text) => {
        if (text === 'bad') throw new SyntaxError('refused by the parser')
        return { text }
      },
      FORM_BODY_BYTES,
    )
    scope.setErrorHandler((error, _request, reply) => {
      if (error instanceof SyntaxError) return reply.code(400).send({ said: error.message })
      throw error
    })
    scope.post('/form', async (request) => ({ body: request.body ?? null }))
  })
  app.register(async (scope) => {
    acceptJson(scope, { bodyBytes: 100, limits: { depth: 3, parts: 20 } })
    scope.post('/json', async (request) => ({ body: request.body ?? null }))
  })
  const post = (url: string, type: string | undefined, body?: string | Buffer) =>
    app.inject({
      method: 'POST',
      url,
      headers: type === undefined ? {} : { 'content-type': type },
      ...(body === undefined ? {} : { body }),
    })
  return { app, post }
}

describe('acceptForms', () => {
  test('gives the text to the parser exactly as sent', async () => {
    const { post } = aServer()
    for (const type of [form, `${form}; charset=UTF-8`, 'Application/X-WWW-Form-URLEncoded']) {
      const response = await post('/form', type, 'a=%zz&a=+&b')
      expect(response.json(), type).toEqual({ body: { text: 'a=%zz&a=+&b' } })
    }
  })

  test('passes an error of the parser to the error handler of the scope', async () => {
    const { post } = aServer()
    const response = await post('/form', form, 'bad')
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ said: 'refused by the parser' })
  })

  test('accepts 64 KiB; one byte more is 413, with and without a Content-Length', async () => {
    const { app, post } = aServer()
    expect((await post('/form', form, 'x'.repeat(FORM_BODY_BYTES))).statusCode).toBe(200)
    expect((await post('/form', form, 'x'.repeat(FORM_BODY_BYTES + 1))).statusCode).toBe(413)
    const chunked = await app.inject({
      method: 'POST',
      url: '/form',
      headers: { 'content-type': form },
      body: Readable.from([Buffer.alloc(FORM_BODY_BYTES), Buffer.alloc(1)]),
    })
    expect(chunked.statusCode).toBe(413)
  })

  test.each(['application/json', 'multipart/form-data', 'text/plain', 'nonsense', ';', 'a/b/c'])(
    'refuses %s with 415',
    async (type) => {
      const { post } = aServer()
      expect((await post('/form', type, '{}')).statusCode).toBe(415)
    },
  )

  test('no body and no type is an empty request, a body without a type is 415', async () => {
    const { post } = aServer()
    expect((await post('/form', undefined)).json()).toEqual({ body: null })
    const typeless = await post('/form', undefined, Buffer.from('a=1'))
    expect(typeless.statusCode).toBe(415)
  })
})

describe('acceptJson', () => {
  test('parses JSON, and refuses forms, invalid JSON, __proto__ and large bodies', async () => {
    const { post } = aServer()
    expect((await post('/json', 'application/json', '{"a":1}')).json()).toEqual({ body: { a: 1 } })
    expect((await post('/json', form, 'a=1')).statusCode).toBe(415)
    for (const text of ['', '{', '{"__proto__":{}}', '{"constructor":{"prototype":{}}}']) {
      expect((await post('/json', 'application/json', text)).statusCode, text).toBe(400)
    }
    expect((await post('/json', 'application/json', `"${'x'.repeat(99)}"`)).statusCode).toBe(413)
    for (const text of ['[[[[]]]]', `[${'1,'.repeat(21)}1]`]) {
      expect((await post('/json', 'application/json', text)).statusCode, text).toBe(400)
    }
  })
})
