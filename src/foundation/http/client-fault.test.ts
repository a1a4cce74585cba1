import { describe, expect, test } from 'vitest'
import { findClientFault, RequestRefusedError } from './client-fault.ts'

const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more })

describe('a client fault', () => {
  test('for a wrong Content-Type lists the accepted ones', () => {
    const fault = findClientFault(coded('FST_ERR_CTP_INVALID_MEDIA_TYPE'))
    expect(fault?.status).toBe(415)
    expect(fault?.description).toContain('application/x-www-form-urlencoded')
    expect(fault?.description).toContain('application/json')
  })

  test('for a body that is too large says to send less, and names the settings', () => {
    const fault = findClientFault(coded('FST_ERR_CTP_BODY_TOO_LARGE'))
    expect(fault?.status).toBe(413)
    expect(fault?.description).toMatch(/Send less .*FORM_BODY_BYTES and JSON_BODY_BYTES/)
  })

  test('is found in our own RequestRefusedError', () => {
    const refusal = new RequestRefusedError(400, 'Say which.')
    expect(findClientFault(refusal)).toMatchObject({ status: 400, description: 'Say which.' })
  })

  test('is never made from another error, whatever its status or code', () => {
    expect(findClientFault(coded('23505', { statusCode: 400 }))).toBeUndefined()
    expect(findClientFault(coded('toString'))).toBeUndefined()
    expect(findClientFault(coded('ECONNRESET'))).toBeUndefined()
    expect(findClientFault('FST_ERR_CTP_BODY_TOO_LARGE')).toBeUndefined()
  })
})
