import { expect, test } from 'vitest'
import { createSampler, type SamplerName } from './trace-context.ts'

const parent = (isSampled: boolean) => ({
  traceId: '0'.repeat(31).concat('1'),
  spanId: '0'.repeat(15).concat('1'),
  isSampled,
  state: undefined,
})

test('each sampler decides as its name says', () => {
  const decisions = (name: SamplerName, ratio = 1) => {
    const sample = createSampler(name, ratio)
    return [sample(undefined), sample(parent(true)), sample(parent(false))]
  }
  expect(decisions('always_on')).toEqual([true, true, true])
  expect(decisions('always_off')).toEqual([false, false, false])
  expect(decisions('parentbased_always_on')).toEqual([true, true, false])
  expect(decisions('parentbased_always_off')).toEqual([false, true, false])
  expect(decisions('traceidratio', 0)).toEqual([false, false, false])
  expect(decisions('traceidratio', 1)).toEqual([true, true, true])
  expect(decisions('parentbased_traceidratio', 0)).toEqual([false, true, false])
})

test('a trace id that other samplers always take gets no more than the ratio', () => {
  const sample = createSampler('traceidratio', 1e-9)
  const taken = Array.from({ length: 1000 }, () => sample(parent(true)))
  expect(taken.filter(Boolean).length).toBeLessThan(2)
})
