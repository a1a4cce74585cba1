import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { ClosableClient } from './closable-client.ts'
import { SilenceWatch } from './silence-watch.ts'

/** A watch over one open connection, which PostgreSQL may answer. */
function aWatch() {
  const client = Object.assign(new EventEmitter(), {
    socket: { bytesRead: 0 },
    applicationName: 'schoolgate test',
    close: async () => undefined,
    giveUp: () => undefined,
  })
  const away: Error[] = []
  const watch = new SilenceWatch({
    // No server listens there, so a new connection is refused at once.
    connection: { host: '127.0.0.1', port: 1 },
    answerMs: 100,
    onAway: (error) => away.push(error),
  })
  onTestFinished(() => watch.end())
  watch.add(client as unknown as ClosableClient, () => 'waiting', 10_000)
  return { client, away, watch }
}

test('after a stall of our own process, answers that lie unread count before PostgreSQL is called away', async () => {
  const { client, away, watch } = aWatch()
  const judged = watch.couldNotOpen(performance.now())
  // Timers come first after a stall; then the sockets are read.
  client.socket.bytesRead += 100
  await judged
  expect(away).toEqual([])
  watch.refuseIfAway()
})

test('PostgreSQL is away if no connection heard anything since one could not be opened', async () => {
  const { away, watch } = aWatch()
  await watch.couldNotOpen(performance.now())
  expect(away).toHaveLength(1)
  expect(() => watch.refuseIfAway()).toThrow('does not answer')
})
