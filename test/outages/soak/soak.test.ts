import { describe, expect, test } from 'vitest'
import { gauge, type Sample } from './sample.ts'
import { judge } from './verdict.ts'

describe('a soak', () => {
  const samples = (memory: (minute: number) => number): readonly Sample[] =>
    Array.from({ length: 60 }, (_, minutes) => ({
      ...{
        minutes,
        descriptors: 50,
        eventLoopDelayMs: 3,
        machineDelayMs: 1,
        backends: 12,
        requests: 50,
        heldMegabytes: 70,
      },
      memoryMegabytes: memory(minutes),
    }))

  test('is flat if memory grows at the beginning and then varies', () => {
    const verdict = judge(
      samples((minute) => Math.min(200, 100 + minute * 5) + (minute % 2) * 8),
      'memoryMegabytes',
    )
    expect(verdict.isFlat).toBe(true)
  })

  test('is not flat if memory goes on growing', () => {
    const verdict = judge(
      samples((minute) => 100 + minute),
      'memoryMegabytes',
    )
    expect(verdict).toMatchObject({ isFlat: false, growth: expect.closeTo(29) })
  })

  test('tells a server that becomes slower from a machine that does', () => {
    const delays = (server: (minute: number) => number, machine: (minute: number) => number) =>
      samples(() => 100).map((sample) => ({
        ...sample,
        eventLoopDelayMs: server(sample.minutes),
        machineDelayMs: machine(sample.minutes),
      }))
    const both = delays(
      (minute) => 10 + minute,
      (minute) => minute,
    )
    const server = delays(
      (minute) => 10 + minute,
      () => 1,
    )
    expect(judge(both, 'eventLoopDelayMs').isFlat).toBe(true)
    expect(judge(server, 'eventLoopDelayMs').isFlat).toBe(false)
  })

  test('reads a line of the metrics by its whole name', () => {
    const text = '# HELP x\nx_bytes 5\nx{quantile="0.99"} 0.25\n'
    expect([gauge(text, 'x_bytes'), gauge(text, 'x{quantile="0.99"}')]).toEqual([5, 0.25])
    expect(() => gauge(text, 'y')).toThrow('no y')
  })
})
