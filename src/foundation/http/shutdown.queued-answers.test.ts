import { connect } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import type { FinishedRequest } from './observe-requests.ts'
import { createHttpServer } from './server.ts'
import { trackInFlight, whenGone } from './shutdown.ts'

const inFlight = trackInFlight()
const finished: FinishedRequest[] = []
const signals: AbortSignal[] = []
let answerAll: () => void = () => {}
const mayAnswer = new Promise<void>((resolve) => {
  answerAll = resolve
})

const app = createHttpServer({
  logger: createLogger({ level: 'silent' }),
  trust: trustNoProxy,
  observers: [inFlight, { finished: (one) => void finished.push(one) }],
})
app.get('/slow', async (_request, reply) => {
  signals.push(whenGone(reply.raw))
  await mayAnswer
  return 'late'
})
app.get('/quick', async () => 'at once')
app.get('/closed', async (_request, reply) => {
  reply.hijack()
  reply.raw.destroy().emit('close')
  reply.raw.emit('close')
})
const base = await app.listen({ port: 0, host: '127.0.0.1' })
afterAll(() => app.close())

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`
const open = () => connect(Number(new URL(base).port), '127.0.0.1')

test('requests that wait behind another one end when a stranger closes the connection', async () => {
  const client = open()
  client.write(get('/slow').repeat(20))
  await vi.waitFor(() => expect(signals).toHaveLength(20), eventually)
  client.destroy()
  await vi.waitFor(() => expect(inFlight.count()).toBe(0), eventually)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
  expect(finished.map(({ aborted }) => aborted)).toEqual(Array.from({ length: 20 }, () => true))
  answerAll()
  await app.inject('/slow')
  // Each end was reported once, also after the answers came.
  expect(finished).toHaveLength(21)
})

test('answers on one connection arrive in order, and each ends once', async () => {
  finished.length = 0
  const client = open()
  let text = ''
  client.on('data', (data) => {
    text += data
  })
  client.write(get('/quick').repeat(5))
  await vi.waitFor(() => expect(text.match(/at once/g)).toHaveLength(5), eventually)
  await vi.waitFor(() => expect(inFlight.count()).toBe(0), eventually)
  client.destroy()
  expect(finished.map(({ aborted }) => aborted)).toEqual(Array.from({ length: 5 }, () => false))
})

test('an answer that closes twice, as a queued one does on Node 24, ends once', async () => {
  finished.length = 0
  const client = open()
  client.write(get('/closed'))
  await new Promise((resolve) => client.once('close', resolve))
  await vi.waitFor(
    () => expect(finished).toMatchObject([{ route: '/closed', aborted: true }]),
    eventually,
  )
  expect(inFlight.count()).toBe(0)
})

test('a URL that no route can read leaves the count of running requests as it was', async () => {
  await app.inject('/%zz')
  expect(inFlight.count()).toBe(0)
})
