import { describe, expect, test } from 'vitest'
import { findClientFault, RequestRefusedError } from './client-fault.ts'

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more })

describe('a client fault', () => {
  test('of the wrong Content-Type names those to send', () => {
    const fault = findClientFault(coded('FST_ERR_CTP_INVALID_MEDIA_TYPE'))
    expect(fault?.status).toBe(415)
    expect(fault?.description).toContain('application/x-www-form-urlencoded')
    expect(fault?.description).toContain('application/json')
  })

  test('of too long a body says to send less, and which settings say how much', () => {
    const fault = findClientFault(coded('FST_ERR_CTP_BODY_TOO_LARGE'))
    expect(fault?.status).toBe(413)
    expect(fault?.description).toMatch(/Send less .*FORM_BODY_BYTES and JSON_BODY_BYTES/)
  })

  test('is found in a refusal of our own', () => {
    const refusal = new RequestRefusedError(400, 'Say which.')
    expect(findClientFault(refusal)).toMatchObject({ status: 400, description: 'Say which.' })
  })

  test('is never made of another error, whatever status or code that carries', () => {
    expect(findClientFault(coded('23505', { statusCode: 400 }))).toBeUndefined()
    expect(findClientFault(coded('toString'))).toBeUndefined()
    expect(findClientFault(coded('ECONNRESET'))).toBeUndefined()
    expect(findClientFault('FST_ERR_CTP_BODY_TOO_LARGE')).toBeUndefined()
  })
})
