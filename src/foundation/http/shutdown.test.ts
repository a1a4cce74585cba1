import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { aLatch, portOf, sendRaw } from '../../../test/support/raw-http.ts'
import { trustNoProxy } from './client-address.ts'
import { createLogger } from './logging.ts'
import { createHttpServer } from './server.ts'
import { type Closer, createShutdown, shutDownOnSignals, trackInFlight } from './shutdown.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function aServer(options: { host?: string; drainMs?: number; closers?: Closer[] } = {}) {
  const logger = createLogger({ level: 'silent' })
  const inFlight = trackInFlight()
  const app = createHttpServer({ logger, trust: trustNoProxy, observers: [inFlight] })
  const inside = aLatch()
  const leave = aLatch()
  stops.push(leave.open)
  app.get('/slow', async () => {
    inside.open()
    await leave.passed
    return { slow: 'done' }
  })
  app.get('/begun', async (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200).write('begun')
    await leave.passed
    reply.raw.end()
  })
  await app.listen({ port: 0, host: options.host ?? '127.0.0.1' })
  const closed: string[] = []
  const shutdown = createShutdown({
    app,
    inFlight,
    log: logger,
    noticeMs: 1,
    drainMs: options.drainMs ?? 60_000,
    closerMs: 60_000,
    closers: options.closers ?? [
      { name: 'jobs', close: async () => void closed.push(`jobs ${inFlight.count()}`) },
      { name: 'database', close: () => void closed.push('database') },
    ],
  })
  const port = portOf(app.server)
  const askSlowly = () =>
    sendRaw(port, 'GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  return { app, port, shutdown, inside, leave, closed, askSlowly }
}

describe('createShutdown', () => {
  test('first fails readiness, then answers the slow request, then runs the closers in order', async () => {
    const { shutdown, inside, leave, closed, askSlowly } = await aServer()
    const answer = askSlowly()
    await inside.passed
    expect(shutdown.isDraining()).toBe(false)
    const done = shutdown.begin('test')
    expect(shutdown.isDraining()).toBe(true)
    expect(closed).toEqual([])
    leave.open()
    expect(await answer).toContain('"slow":"done"')
    expect(await done).toBe('clean')
    expect(closed).toEqual(['jobs 0', 'database'])
  })

  test('the last answer of a connection that would stay open says that it closes, and ends the stop', async () => {
    const { port, shutdown, inside, leave } = await aServer()
    const client = connect(port, '127.0.0.1')
    let text = ''
    client.on('data', (data) => {
      text += data
    })
    const ended = once(client, 'end')
    client.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2))
    await inside.passed
    const done = shutdown.begin('test')
    // The port is closed, so no connection is open but this one.
    await vi.waitFor(
      async () => await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(),
      eventually,
    )
    leave.open()
    await ended
    expect(text.match(/^connection: [\w-]+/gim)).toEqual([
      'Connection: keep-alive',
      'connection: close',
    ])
    expect(text.match(/"slow":"done"/g)).toHaveLength(2)
    expect(await done).toBe('clean')
    client.destroy()
  })

  test('an answer that had begun before is the last one of its connection, too', async () => {
    const { app, port, shutdown, leave } = await aServer()
    const client = connect(port, '127.0.0.1')
    const answers = once(client, 'data')
    const ended = once(client, 'end')
    client.write('GET /begun HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(String((await answers)[0])).toContain('keep-alive')
    const done = shutdown.begin('test')
    await vi.waitFor(() => expect(app.server.listening).toBe(false), eventually)
    leave.open()
    await ended
    expect(await done).toBe('clean')
    client.destroy()
  })

  test('accepts no new connection once the port is closed', async () => {
    const { port, shutdown } = await aServer()
    await shutdown.begin('test')
    await expect(fetch(`http://127.0.0.1:${port}/slow`)).rejects.toThrow()
  })

  test('disconnects waiting requests at the deadline, and still runs the closers', async () => {
    const { shutdown, inside, closed, askSlowly } = await aServer({ drainMs: 1 })
    const answer = askSlowly()
    await inside.passed
    expect(await shutdown.begin('test')).toBe('forced')
    expect(await answer).toBe('')
    expect(closed).toHaveLength(2)
  })

  test('force does not wait for the deadline', async () => {
    const { shutdown, inside, closed, askSlowly } = await aServer()
    const answer = askSlowly()
    await inside.passed
    const done = shutdown.begin('test')
    shutdown.force()
    expect(await done).toBe('forced')
    expect(await answer).toBe('')
    expect(closed).toHaveLength(2)
  })

  test('begins only once', async () => {
    const { shutdown, closed } = await aServer()
    expect(shutdown.begin('one')).toBe(shutdown.begin('two'))
    await shutdown.begin('three')
    expect(closed).toHaveLength(2)
  })

  test('runs the next closer after one that fails', async () => {
    const ran: string[] = []
    const { shutdown } = await aServer({
      closers: [
        { name: 'rejects', close: () => Promise.reject(new Error('no')) },
        {
          name: 'throws',
          close: () => {
            throw new Error('no')
          },
        },
        { name: 'last', close: () => void ran.push('last') },
      ],
    })
    expect(await shutdown.begin('test')).toBe('forced')
    expect(ran).toEqual(['last'])
  })

  test('waits for requests of the second listener of localhost too', async () => {
    const { port, shutdown, inside, leave, closed } = await aServer({ host: 'localhost' })
    const answers = Promise.allSettled([
      fetch(`http://127.0.0.1:${port}/slow`).then((response) => response.text()),
      fetch(`http://[::1]:${port}/slow`).then((response) => response.text()),
    ])
    await inside.passed
    const done = shutdown.begin('test')
    leave.open()
    await done
    expect(closed[0]).toBe('jobs 0')
    await answers
  })
})

describe('shutDownOnSignals', () => {
  function aProcess() {
    const emitter = new EventEmitter()
    const exit = vi.fn<(code?: number | string | null) => never>()
    return { host: Object.assign(emitter, { exit }) as never, emitter, exit }
  }

  test('one signal ends the process with exit code 0', async () => {
    const { shutdown } = await aServer()
    const { host, emitter, exit } = aProcess()
    shutDownOnSignals(shutdown, host)
    emitter.emit('SIGTERM', 'SIGTERM')
    await shutdown.begin('joined')
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(0), eventually)
  })

  test('a second signal stops the waiting, a third one ends the process at once', async () => {
    const { shutdown, inside, askSlowly } = await aServer()
    const answer = askSlowly()
    await inside.passed
    const { host, emitter, exit } = aProcess()
    shutDownOnSignals(shutdown, host)
    emitter.emit('SIGINT', 'SIGINT')
    emitter.emit('SIGINT', 'SIGINT')
    emitter.emit('SIGTERM', 'SIGTERM')
    expect(exit.mock.calls).toEqual([[1]])
    expect(await shutdown.begin('joined')).toBe('forced')
    expect(await answer).toBe('')
  })
})
