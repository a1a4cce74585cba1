import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { portOf } from '../../../test/support/raw-http.ts'
import { createLogger } from './logging.ts'
import type { FinishedRequest } from './observe-requests.ts'
import { createHttpServer } from './server.ts'
import { trustNoProxy } from './trust-proxy.ts'

const MEGABYTE = 1024 * 1024
const PIECES = 64
/** Node also ends a connection whose first request is not read in this time, which a busy machine can take. */
const LIMIT = 300

const open: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function aServer(stalledReaderMs: number, host = '127.0.0.1') {
  const finished: FinishedRequest[] = []
  const app = createHttpServer({
    logger: createLogger({ level: 'silent' }),
    trust: trustNoProxy,
    limits: { stalledReaderMs },
    observers: [{ finished: (one) => void finished.push(one) }],
  })
  app.get('/much', async (_request, reply) => reply.send(Buffer.alloc(PIECES * MEGABYTE)))
  app.get('/pieces', async (_request, reply) =>
    reply.send(Readable.from(Array.from({ length: PIECES }, () => Buffer.alloc(MEGABYTE)))),
  )
  app.get('/little', async () => 'a little')
  app.get('/late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2 * stalledReaderMs))
    return 'late'
  })
  await app.listen({ port: 0, host })
  open.push(app)
  return { app, finished }
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
  const { app, finished } = await aServer(50, host)
  // For localhost Fastify listens on every address that the name has.
  for (const address of app.addresses()) {
    if (typeof address === 'string') throw new Error('the server listens on a pipe')
    const socket = await ask(address.port, path, address.address)
    socket.pause()
    await vi.waitUntil(() => finished.length > 0, { timeout: 10_000 })
    expect(finished.splice(0)).toMatchObject([{ route: path, aborted: true }])
  }
})

test.each(['/much', '/pieces'])(
  'a client that reads %s slowly gets all of it, even if that takes longer than the stall limit',
  async (path) => {
    const { app } = await aServer(1000)
    const socket = await ask(portOf(app.server), path)
    let received = 0
    let pauses = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received < (pauses + 1) * 5 * MEGABYTE) return
      pauses++
      socket.pause()
      setTimeout(() => socket.resume(), 200)
    })
    await vi.waitUntil(() => received > PIECES * MEGABYTE, { timeout: 30_000 })
  },
)

test('a connection that never asks for anything is closed', async () => {
  const { app } = await aServer(50)
  const socket = connect(portOf(app.server), '127.0.0.1')
  open.push({ close: () => socket.destroy() })
  socket.resume()
  await once(socket, 'close')
})

test('a connection that waits for its next request stays open', async () => {
  const { app } = await aServer(LIMIT)
  const socket = await ask(portOf(app.server), '/little')
  await once(socket, 'data')
  await new Promise((resolve) => setTimeout(resolve, 2 * LIMIT))
  socket.write('GET /little HTTP/1.1\r\nHost: a.test\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a client that waits for its answer longer than the stall limit is answered', async () => {
  const { app } = await aServer(LIMIT, 'localhost')
  for (const address of app.addresses()) {
    if (typeof address === 'string') throw new Error('the server listens on a pipe')
    const socket = await ask(address.port, '/late', address.address)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  }
})
