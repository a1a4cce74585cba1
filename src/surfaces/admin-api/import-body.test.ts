import { describe, expect, test, vi } from 'vitest'
import { Limiter, LimiterFull } from '../../foundation/concurrency/limiter.ts'
import { ImportPlace, inPieces, takeBody } from './import-body.ts'

const KIB = 1024

/** A body whose chunks come when they are sent. */
function aSender() {
  const stream = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1000 })
  const writer = stream.writable.getWriter()
  return {
    body: stream.readable as AsyncIterable<Uint8Array>,
    send: (bytes: number) => writer.write(new Uint8Array(bytes)),
    end: () => writer.close(),
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** An import that takes what it is given, and how many bytes that was. */
function anImport(limiter: Limiter, body: AsyncIterable<Uint8Array>, isDryRun = false) {
  const place = new ImportPlace(limiter, 'school', new AbortController().signal)
  const state = { taken: 0 }
  const run = async () => {
    try {
      for await (const piece of await takeBody(inPieces(body), place, isDryRun)) {
        state.taken += piece.length
      }
    } finally {
      place.giveBack()
    }
  }
  return { state, done: run() }
}

describe('an import', () => {
  test('takes no place before 64 KiB have arrived', async () => {
    const limiter = new Limiter({ running: 3, waiting: 8 })
    const { body, send, end } = aSender()
    const { state, done } = anImport(limiter, body)
    for (let n = 0; n < 64; n++) void send(KIB)
    await settled()
    expect([limiter.running, state.taken]).toEqual([0, 0])
    void send(1)
    await settled()
    expect([limiter.running, state.taken]).toEqual([1, 64 * KIB])
    void end()
    await done
    expect([limiter.running, state.taken]).toEqual([0, 64 * KIB + 1])
  })

  test('gives its place back while its sender is silent or drips, and goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const limiter = new Limiter({ running: 1, waiting: 8 })
    const { body, send, end } = aSender()
    const { state, done } = anImport(limiter, body)
    void send(64 * KIB)
    await settled()
    expect(limiter.running).toBe(1)
    for (let n = 0; n < 5; n++) {
      await vi.advanceTimersByTimeAsync(200)
      void send(1)
    }
    await settled()
    expect(limiter.running).toBe(0)
    // Another one has the place when the next piece is complete.
    expect(limiter.enter('other')).toBeUndefined()
    void send(64 * KIB)
    await settled()
    expect([limiter.waiting, state.taken]).toEqual([1, 64 * KIB])
    limiter.leave('other')
    void end()
    vi.useRealTimers()
    await done
    expect([limiter.running, state.taken]).toEqual([0, 128 * KIB + 5])
  })
})

test('an import that has begun is not refused when others took the places meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const limiter = new Limiter({ running: 1, waiting: 1, waitMs: 20_000 })
  const { body, send, end } = aSender()
  const { state, done } = anImport(limiter, body)
  void send(64 * KIB)
  await settled()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(limiter.enter('school')).toBeUndefined()
  const waiting = limiter.enter('school')
  await expect(limiter.enter('school')).rejects.toThrow(LimiterFull)
  void send(64 * KIB)
  await settled()
  expect([limiter.waiting, state.taken]).toEqual([2, 64 * KIB])
  const refused = expect(waiting).rejects.toThrow(LimiterFull)
  await vi.advanceTimersByTimeAsync(60_000)
  await refused
  expect(limiter.waiting).toBe(1)
  limiter.leave('school')
  void end()
  vi.useRealTimers()
  await done
  expect([limiter.running, state.taken]).toEqual([0, 128 * KIB])
})

test('a dry run whose sender drips is refused and gives its place back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const limiter = new Limiter({ running: 1, waiting: 8 })
  const { body, send } = aSender()
  const { done } = anImport(limiter, body, true)
  const refused = expect(done).rejects.toMatchObject({ details: { status: 408 } })
  void send(64 * KIB)
  await settled()
  for (let n = 0; n < 9; n++) {
    await vi.advanceTimersByTimeAsync(1_000)
    void send(1)
  }
  await settled()
  expect(limiter.running).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  vi.useRealTimers()
  await refused
  expect(limiter.running).toBe(0)
})

test('small packets cost no more memory than their bytes', async () => {
  async function* bytes() {
    for (let n = 0; n < 200 * KIB; n++) yield Buffer.of(n % 251)
  }
  const pieces: Uint8Array[] = []
  for await (const piece of inPieces(bytes())) pieces.push(piece)
  expect(pieces.map(({ length }) => length)).toEqual([64 * KIB, 64 * KIB, 64 * KIB, 8 * KIB])
  expect(Buffer.concat(pieces).every((byte, n) => byte === n % 251)).toBe(true)
})
