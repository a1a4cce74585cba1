import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { portOf } from '../../../test/support/raw-http.ts'
import { trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import type { FinishedRequest } from './observe-requests.ts'
import { createHttpServer } from './server.ts'

const MEGABYTE = 1024 * 1024
const PIECES = 64
/** A busy machine does not stand still for so long. */
const PATIENT = 60_000
const SOON = 50

const open: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

interface Limits {
  readonly host?: string
  readonly stalledReaderMs?: number
  /**
   * The limit from when a request has arrived. Node also ends a connection whose first request it
   * has not read within the limit, which a busy machine can take.
   */
  readonly fromRequestOn?: number
}

async function aServer({
  host = '127.0.0.1',
  stalledReaderMs = PATIENT,
  fromRequestOn = stalledReaderMs,
}: Limits = {}) {
  const finished: FinishedRequest[] = []
  const app = createHttpServer({
    logger: createLogger({ level: 'silent' }),
    trust: trustNoProxy,
    limits: { stalledReaderMs },
    observers: [{ finished: (one) => void finished.push(one) }],
  })
  app.addHook('preHandler', async (request) => void request.raw.socket.setTimeout(fromRequestOn))
  app.get('/much', async (_request, reply) => reply.send(Buffer.alloc(PIECES * MEGABYTE)))
  app.get('/pieces', async (_request, reply) =>
    reply.send(Readable.from(Array.from({ length: PIECES }, () => Buffer.alloc(MEGABYTE)))),
  )
  app.get('/little', async () => 'a little')
  app.get('/late', async (request) => {
    await once(request.raw.socket, 'timeout')
    return 'late'
  })
  await app.listen({ port: 0, host })
  open.push(app)
  // For localhost Fastify listens on every address that the name has.
  const addresses = app.addresses().map((one) => {
    if (typeof one === 'string') throw new Error('the server listens on a pipe')
    return one
  })
  return { app, addresses, finished }
}

async function ask(port: number, path: string, host = '127.0.0.1') {
  const socket = connect(port, host)
  open.push({ close: () => socket.destroy() })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`)
  return socket
}

test.each([
  ['/much', '127.0.0.1'],
  ['/pieces', '127.0.0.1'],
  ['/pieces', 'localhost'],
])('a client that asks for %s at %s and reads nothing is disconnected', async (path, host) => {
  const { addresses, finished } = await aServer({ host, fromRequestOn: SOON })
  for (const { port, address } of addresses) {
    const socket = await ask(port, path, address)
    socket.pause()
    await vi.waitUntil(() => finished.length > 0, eventually)
    expect(finished.splice(0)).toMatchObject([{ route: path, aborted: true }])
  }
})

test('clients that read slowly get everything, even if that takes longer than the stall limit', async () => {
  const stalledReaderMs = 5_000
  const pieceMs = stalledReaderMs / 20
  const { app } = await aServer({ stalledReaderMs })
  const readSlowly = async (path: string): Promise<void> => {
    const socket = await ask(portOf(app.server), path)
    let received = 0
    let pauses = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received < (pauses + 1) * 3 * MEGABYTE) return
      pauses++
      socket.pause()
      setTimeout(() => socket.resume(), pieceMs)
    })
    await vi.waitUntil(() => received > PIECES * MEGABYTE, eventually)
    expect(pauses * pieceMs).toBeGreaterThan(stalledReaderMs)
  }
  await Promise.all([readSlowly('/much'), readSlowly('/pieces')])
})

test('a connection that never asks for anything is closed at the limit', async () => {
  const wait = (port: number, address: string) => {
    const socket = connect(port, address).resume()
    open.push({ close: () => socket.destroy() })
    return socket
  }
  // A server with a later limit still waits when the others have closed.
  const later = await aServer({ stalledReaderMs: 2 * PATIENT })
  const stillOpen = wait(portOf(later.app.server), '127.0.0.1')
  const { addresses } = await aServer({ host: 'localhost', stalledReaderMs: SOON })
  for (const { port, address } of addresses) {
    const socket = wait(port, address)
    await vi.waitUntil(() => socket.closed, eventually)
  }
  expect(stillOpen.readyState).toBe('open')
})

test('a connection that waits for its next request stays open', async () => {
  const { app } = await aServer({ fromRequestOn: SOON })
  const socket = await ask(portOf(app.server), '/little')
  await once(socket, 'data')
  await new Promise((resolve) => setTimeout(resolve, 4 * SOON))
  socket.write('GET /little HTTP/1.1\r\nHost: a.test\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a client that waits for its answer longer than the stall limit is answered', async () => {
  const { addresses } = await aServer({ host: 'localhost', fromRequestOn: SOON })
  for (const { port, address } of addresses) {
    const socket = await ask(port, '/late', address)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  }
})
