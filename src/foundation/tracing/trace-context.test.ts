import { describe, expect, test } from 'vitest'
import { parseTraceContext, traceHeaders } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('the context of a trace', () => {
  test('is read from traceparent and tracestate', () => {
    expect(parseTraceContext(`00-${TRACE}-${SPAN}-01`, 'a=1,b=2')).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
      state: 'a=1,b=2',
    })
    expect(parseTraceContext(`00-${TRACE}-${SPAN}-00`, undefined)?.isSampled).toBe(false)
    expect(parseTraceContext(`00-${TRACE}-${SPAN}-fe`, undefined)?.isSampled).toBe(false)
  })

  test('of a later version may have more fields', () => {
    expect(parseTraceContext(`01-${TRACE}-${SPAN}-01-more`, undefined)?.traceId).toBe(TRACE)
    expect(parseTraceContext(`00-${TRACE}-${SPAN}-01-more`, undefined)).toBeUndefined()
  })

  test('a hostile traceparent counts as absent', () => {
    const hostile = [
      '',
      'x'.repeat(16_000),
      `ff-${TRACE}-${SPAN}-01`,
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${SPAN}-01`,
      `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
      `00-${TRACE}-${SPAN}-1`,
      `00-${TRACE}-${SPAN}`,
      ` 00-${TRACE}-${SPAN}-01`,
      `00-${TRACE}-${SPAN}-01\n`,
      `00-${TRACE}${SPAN}-01`,
      `00-${TRACE.slice(1)}<-${SPAN}-01`,
      `01-${TRACE}-${SPAN}-01-${'x'.repeat(201)}`,
    ]
    for (const text of hostile) expect(parseTraceContext(text, 'a=1'), text).toBeUndefined()
    for (const other of [undefined, null, 1, {}, [`00-${TRACE}-${SPAN}-01`]]) {
      expect(parseTraceContext(other, undefined)).toBeUndefined()
    }
  })

  test('a hostile tracestate is dropped, and the parent stays', () => {
    for (const state of ['', 'a=1\r\nx: y', 'a='.padEnd(513, 'x'), 'a=ü', 7, ['a=1']]) {
      expect(parseTraceContext(`00-${TRACE}-${SPAN}-01`, state)).toMatchObject({
        traceId: TRACE,
        state: undefined,
      })
    }
  })

  test('is written into the headers of an outgoing request', () => {
    const span = { traceId: TRACE, spanId: SPAN }
    expect(traceHeaders({ ...span, state: undefined })).toEqual({
      traceparent: `00-${TRACE}-${SPAN}-01`,
    })
    expect(traceHeaders({ ...span, state: 'a=1' })).toMatchObject({ tracestate: 'a=1' })
  })
})
