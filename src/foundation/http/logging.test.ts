import { describe, expect, test } from 'vitest'
import { redact } from './logging.ts'

describe('redact', () => {
  test('hides secrets by the name of their field, nested and in any case', () => {
    const fields = {
      Authorization: 'Bearer s3cret',
      headers: { cookie: 's3cret', 'Set-Cookie': ['s3cret'], accept: '*/*' },
      form: { inner: { client_secret: 's3cret', list: [{ password: 's3cret' }] } },
      body: { anything: 's3cret' },
    }
    const text = JSON.stringify(redact(fields))
    expect(text).not.toContain('s3cret')
    expect(text).toContain('*/*')
  })

  test('hides the query of URLs, as text and as URL object', () => {
    const fields = { url: '/cb?code=s3cret', target: new URL('https://a.test/cb?code=s3cret') }
    expect(redact(fields)).toEqual({ url: '/cb?…', target: 'https://a.test/cb?…' })
  })

  test('returns harmless fields without copying them', () => {
    const fields = { status: 200, route: '/x', nothing: null, nested: { a: 1 } }
    expect(redact(fields)).toBe(fields)
  })

  test('does not change its argument', () => {
    const fields = { form: { password: 's3cret' } }
    redact(fields)
    expect(fields.form.password).toBe('s3cret')
  })

  test('stops at deep, wide, circular and binary values', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    expect(JSON.stringify(redact({ circular })).length).toBeLessThan(200)
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]))
    expect(JSON.stringify(redact(wide)).length).toBeLessThan(1000)
    expect(redact({ key: Buffer.from('s3cret') })).toEqual({ key: '[bytes]' })
  })
})
