import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { ChangeListener } from '../../src/foundation/db/change-listener.ts'
import { emptyDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'
import { aWire } from '../support/wire.ts'

const connection = await emptyDatabase()
const speaker = await connect(connection)
afterAll(() => speaker.end())

const PACE = { heartbeatMs: 100, firstRetryMs: 10, longestRetryMs: 50 }

/** A listener, and everything that it heard. */
async function aListener(to: pg.ClientConfig = connection, channels = ['news']) {
  const heard = { changes: [] as string[], gaps: 0, proofs: 0, errors: [] as Error[] }
  const listener = new ChangeListener(
    to,
    channels,
    {
      onChange: (channel, payload) => heard.changes.push(`${channel}: ${payload}`),
      onGap: () => heard.gaps++,
      onError: (error) => heard.errors.push(error),
      onProof: () => heard.proofs++,
      echo: (channel) => tell('', channel),
    },
    PACE,
  )
  onTestFinished(() => listener.stop())
  await listener.start()
  return { listener, heard }
}

const tell = (payload: string, channel = 'news') =>
  speaker.query('select pg_notify($1, $2)', [channel, payload])

async function listening(): Promise<readonly number[]> {
  const { rows } = await speaker.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where application_name = 'schoolgate listen' and datname = current_database() order by pid`,
  )
  return rows.map(({ pid }) => pid)
}

test('what one connection tells, every listener hears, each on its own channels', async () => {
  const one = await aListener()
  const other = await aListener(connection, ['news', 'Odd "channel"'])
  await tell('a school changed')
  await tell('as well', 'Odd "channel"')
  await vi.waitFor(() => expect(other.heard.changes).toHaveLength(2), eventually)
  // Each is told by a connection of its own, in an order that nobody promises.
  await vi.waitFor(() => expect(one.heard.changes).not.toEqual([]), eventually)
  expect(one.heard.changes).toEqual(['news: a school changed'])
  expect(other.heard.changes).toEqual(['news: a school changed', 'Odd "channel": as well'])
})

test('the first connection counts as a gap: something may have been cached before it', async () => {
  expect((await aListener()).heard).toMatchObject({ gaps: 1, errors: [] })
})

test('every heartbeat proves that what others tell does arrive, and is no news itself', async () => {
  const { heard } = await aListener()
  await vi.waitFor(() => expect(heard.proofs).toBeGreaterThan(2), eventually)
  expect(heard).toMatchObject({ changes: [], gaps: 1, errors: [] })
})

test('killed, it comes back by itself, reports the gap and hears again', async () => {
  const { heard } = await aListener()
  const pids = await listening()
  await speaker.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids])
  await vi.waitFor(() => expect(heard.gaps).toBe(2), eventually)
  expect(heard.errors).not.toEqual([])
  await tell('heard again')
  await vi.waitFor(() => expect(heard.changes).toEqual(['news: heard again']), eventually)
})

test('a connection that died without a word is found by its missing heartbeat', async () => {
  const wire = await aWire(connection)
  const { heard } = await aListener(wire.connection)
  wire.silence()
  await tell('into the void')
  await vi.waitFor(() => expect(heard.gaps).toBe(2), eventually)
  expect(heard.changes).toEqual([])
  await tell('and back')
  await vi.waitFor(() => expect(heard.changes).toEqual(['news: and back']), eventually)
})

test('a quiet connection that answers its heartbeat is left alone', async () => {
  const { heard } = await aListener()
  const before = await listening()
  await new Promise((resolve) => setTimeout(resolve, PACE.heartbeatMs * 5))
  expect(heard).toMatchObject({ changes: [], gaps: 1, errors: [] })
  expect(await listening()).toEqual(before)
})

describe('a database that is not there', () => {
  test('at the start is no reason to fail: it is tried until it comes', async () => {
    const database = `late_${randomBytes(8).toString('hex')}`
    const { heard } = await aListener({ ...connection, database })
    await vi.waitFor(() => expect(heard.errors.length).toBeGreaterThan(2), eventually)
    expect(heard.gaps).toBe(0)
    const admin = await connect(inject('postgres'))
    await admin.query(`create database ${database}`)
    await vi.waitFor(() => expect(heard.gaps).toBe(1), eventually)
    await admin.query(`drop database ${database} with (force)`)
    await admin.end()
  })
})

test('stopped, it hangs up and stays away', async () => {
  const others = await listening()
  const { listener, heard } = await aListener()
  expect(await listening()).toHaveLength(others.length + 1)
  await listener.stop()
  await vi.waitFor(async () => expect(await listening()).toEqual(others), eventually)
  await tell('to nobody')
  expect(heard).toMatchObject({ changes: [], gaps: 1, errors: [] })
})
