import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { portOf } from '../../../test/support/raw-http.ts'
import { createLogger } from './logging.ts'
import { createHttpServer } from './server.ts'
import { trustNobody } from './trust-proxy.ts'

const MEGABYTE = 1024 * 1024
const PIECES = 64

const open: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function aServer(betweenLooksMs: number) {
  const app = createHttpServer({
    logger: createLogger({ level: 'silent' }),
    trust: trustNobody,
    limits: { betweenLooksMs },
  })
  app.get('/much', async (_request, reply) => reply.send(Buffer.alloc(PIECES * MEGABYTE)))
  app.get('/pieces', async (_request, reply) =>
    reply.send(Readable.from(Array.from({ length: PIECES }, () => Buffer.alloc(MEGABYTE)))),
  )
  app.get('/little', async () => 'a little')
  await app.listen({ port: 0, host: '127.0.0.1' })
  open.push(app)
  return app
}

async function ask(port: number, path: string) {
  const socket = connect(port, '127.0.0.1')
  open.push({ close: () => socket.destroy() })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`)
  return socket
}

test.each(['/much', '/pieces'])(
  'an attacker who asks for %s and reads nothing is hung up on',
  async (path) => {
    const { server } = await aServer(50)
    const socket = await ask(portOf(server), path)
    socket.pause()
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_none, count) => resolve(count)))
    await vi.waitUntil(async () => (await connections()) === 0, { timeout: 10_000 })
  },
)

test.each(['/much', '/pieces'])('whoever reads %s slowly, but reads, gets it all', async (path) => {
  const { server } = await aServer(300)
  const socket = await ask(portOf(server), path)
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  await vi.waitUntil(() => received > PIECES * MEGABYTE, { timeout: 30_000 })
})

test('a connection that is kept for the next request is left alone', async () => {
  const { server } = await aServer(20)
  const socket = await ask(portOf(server), '/little')
  await once(socket, 'data')
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.write('GET /little HTTP/1.1\r\nHost: a.test\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
})
