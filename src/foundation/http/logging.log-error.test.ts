import { describe, expect, test } from 'vitest'
import { hideSecrets, serializeError } from './logging.ts'

const token = `sg_at_${'aB3'.repeat(20)}`

describe('serializeError', () => {
  test('has type, message, code and stack frames', () => {
    const error = Object.assign(new TypeError('no such thing'), { code: 'ERR_X' })
    const logged = serializeError(error)
    expect(logged).toMatchObject({
      type: 'TypeError',
      message: 'no such thing',
      errorCode: 'ERR_X',
    })
    expect(logged.stack).toContain('log-error.test.ts')
    expect(logged.stack).not.toContain('no such thing')
  })

  test('leaves out the statements and values that a database driver attaches', () => {
    const error = Object.assign(new Error('duplicate key value violates "users_email_key"'), {
      code: '23505',
      detail: 'Key (email)=(ada@demo.test) already exists.',
      parameters: ['ada@demo.test'],
      query: "select 'ada@demo.test'",
      table: 'users',
      constraint: 'users_email_key',
    })
    const text = JSON.stringify(serializeError(error))
    expect(text).not.toContain('ada@')
    expect(text).toContain('users_email_key')
    expect(text).toContain('23505')
  })

  test('hides the value that PostgreSQL repeats in a data exception', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "hunt"er2"'), {
      code: '22P02',
    })
    expect(serializeError(error).message).toBe('invalid input syntax for type uuid: "…"')
  })

  test('follows causes and aggregates up to a depth', () => {
    const inner = new Error('inner')
    const outer = new Error('outer', { cause: inner })
    expect(serializeError(outer).cause?.message).toBe('inner')
    inner.cause = outer
    expect(JSON.stringify(serializeError(outer)).match(/inner/g)?.length).toBeLessThan(5)
    const many = new AggregateError([new Error('a'), 'b'], 'all failed')
    expect(serializeError(many).errors?.map((one) => one.type)).toEqual(['Error', 'string'])
  })

  test('never prints a thrown value that is not an Error', () => {
    expect(JSON.stringify(serializeError(token))).not.toContain(token)
    expect(JSON.stringify(serializeError({ password: 'x' }))).not.toContain('password')
  })
})

describe('hideSecrets', () => {
  test('removes tokens and the query of a URL, keeps names and UUIDs', () => {
    expect(hideSecrets(`bad token ${token}`)).toBe('bad token [hidden]')
    expect(hideSecrets('GET https://a.test/cb?code=abc&state=x failed')).toBe(
      'GET https://a.test/cb?… failed',
    )
    const constraint = 'token_pairs_authorization_id_bound_school_id_fkey'
    expect(hideSecrets(constraint)).toBe(constraint)
    const id = '0199A000-0001-7abc-8def-0123456789ab'
    expect(hideSecrets(id)).toBe(id)
  })

  test('shortens a long hostile text before searching it', () => {
    expect(hideSecrets('aB1-'.repeat(100_000)).length).toBeLessThan(2100)
  })
})
