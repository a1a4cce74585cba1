import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  encodeSpans,
  MAX_BATCH,
  MAX_QUEUE,
  SpanExporter,
} from '../../src/foundation/tracing/span-exporter.ts'
import { Span } from '../../src/foundation/tracing/tracing.ts'
import { aCollector } from '../support/collector.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from './support/running-server.ts'

function anExporter(url: string) {
  const reports: string[] = []
  const exporter = new SpanExporter({
    url: new URL('/v1/traces', url),
    headers: {},
    // Longer than any test: what ends sooner was not waited for.
    timeoutMs: 600_000,
    encode: (spans) => encodeSpans(spans, { 'service.name': 'schoolgate' }, '1.2.3'),
    onAway: (reason) => reports.push(reason),
    onBack: (dropped) => reports.push(`back, ${dropped} dropped`),
  })
  const add = (count: number) => {
    for (let n = 0; n < count; n++) {
      new Span({ kind: 'server', name: 'GET /sign-in' }, (span) => exporter.add(span)).end()
    }
  }
  return { exporter, add, reports }
}

describe('spans for a collector', () => {
  test('that is silent wait up to a limit, and the rest is dropped', async () => {
    const collector = await aCollector('silent')
    const { exporter, add } = anExporter(collector.url)
    add(10_000)
    expect(exporter.counts).toEqual({
      waiting: MAX_QUEUE,
      dropped: 10_000 - MAX_QUEUE - MAX_BATCH,
    })
    await vi.waitFor(() => expect(collector.exports).toHaveLength(1), eventually)
    add(1_000)
    expect(exporter.counts.waiting).toBe(MAX_QUEUE)
    expect(collector.exports).toHaveLength(1)
  })

  test('that is silent do not hold up the end of the process', async () => {
    const collector = await aCollector('silent')
    const { exporter, add } = anExporter(collector.url)
    add(1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isOver = false
    const flushed = exporter.flush(5_000).then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(4_999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await flushed
  })

  test('that refuses connections are dropped batch by batch, with one report', async () => {
    const { exporter, add, reports } = anExporter(`http://127.0.0.1:${await freePort()}`)
    add(MAX_BATCH)
    await exporter.flush(60_000)
    expect(reports).toEqual([expect.stringContaining('ECONNREFUSED')])
    add(MAX_QUEUE + 1)
    await exporter.flush(60_000)
    expect(exporter.counts).toEqual({
      waiting: MAX_QUEUE - MAX_BATCH,
      dropped: MAX_BATCH + 1 + MAX_BATCH,
    })
    expect(reports).toHaveLength(1)
  })

  test('that fails and comes back are sent again, with the number of lost ones', async () => {
    const collector = await aCollector(503)
    const { exporter, add, reports } = anExporter(collector.url)
    add(3)
    await exporter.flush(60_000)
    collector.manner = 200
    add(2)
    await exporter.flush(60_000)
    expect(reports).toEqual(['it answers 503', 'back, 3 dropped'])
    expect(exporter.counts).toEqual({ waiting: 0, dropped: 3 })
  })
})
