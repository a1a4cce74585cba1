import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { ChangeListener } from '../../src/foundation/db/change-listener.ts'
import { emptyDatabase } from '../support/database.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { connect } from '../support/postgres.ts'

const connection = await emptyDatabase()
const sender = await connect(connection)
afterAll(() => sender.end())

/**
 * A busy machine may let an answer wait for seconds: only a test of a silent connection gives up
 * early.
 */
const PACE = {
  connectMs: 60_000,
  heartbeatMs: 100,
  answerMs: 60_000,
  firstRetryMs: 10,
  longestRetryMs: 50,
}

/** A listener, and the calls that it made. */
async function aListener({
  to = connection as pg.ClientConfig,
  channels = ['news'],
  answerMs = PACE.answerMs,
} = {}) {
  const calls = { changes: [] as string[], gaps: 0, proofs: 0, errors: [] as Error[] }
  const listener = new ChangeListener(
    to,
    channels,
    {
      onChange: (channel, payload) => calls.changes.push(`${channel}: ${payload}`),
      onGap: () => calls.gaps++,
      onError: (error) => calls.errors.push(error),
      onProof: () => calls.proofs++,
      echo: (channel) => notify('', channel),
    },
    { ...PACE, answerMs },
  )
  onTestFinished(() => listener.stop())
  await listener.start()
  return { listener, calls }
}

const notify = (payload: string, channel = 'news') =>
  sender.query('select pg_notify($1, $2)', [channel, payload])

async function listenerPids(): Promise<readonly number[]> {
  const { rows } = await sender.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where application_name like 'schoolgate listen %' and datname = current_database() order by pid`,
  )
  return rows.map(({ pid }) => pid)
}

// PostgreSQL ends the connections of the test before a moment after the listener closed them.
beforeEach(async () => {
  await vi.waitFor(async () => expect(await listenerPids()).toEqual([]), eventually)
})

test('every listener gets the notifications of its own channels', async () => {
  const one = await aListener()
  const other = await aListener({ channels: ['news', 'Odd "channel"'] })
  await notify('a school changed')
  await notify('as well', 'Odd "channel"')
  await vi.waitFor(() => expect(other.calls.changes).toHaveLength(2), eventually)
  // Each listener has its own connection, and their order is not defined.
  await vi.waitFor(() => expect(one.calls.changes).not.toEqual([]), eventually)
  expect(one.calls.changes).toEqual(['news: a school changed'])
  expect(other.calls.changes).toEqual(['news: a school changed', 'Odd "channel": as well'])
})

test('the first connection counts as a gap: the process may have cached something before it', async () => {
  expect((await aListener()).calls).toMatchObject({ gaps: 1, errors: [] })
})

test('every heartbeat proves that notifications arrive, and is not reported as a change', async () => {
  const { calls } = await aListener()
  await vi.waitFor(() => expect(calls.proofs).toBeGreaterThan(2), eventually)
  expect(calls).toMatchObject({ changes: [], gaps: 1, errors: [] })
})

test('a listener whose connection is cut reconnects, reports the gap and gets notifications again', async () => {
  const { calls } = await aListener()
  const pids = await listenerPids()
  await sender.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids])
  await vi.waitFor(() => expect(calls.gaps).toBe(2), eventually)
  expect(calls.errors).not.toEqual([])
  await notify('after the cut')
  await vi.waitFor(() => expect(calls.changes).toEqual(['news: after the cut']), eventually)
})

test('a connection that dies silently is found by its missing heartbeat', async () => {
  const proxy = await aDatabaseProxy(connection)
  const { calls } = await aListener({ to: proxy.connection, answerMs: 500 })
  proxy.silence()
  await notify('lost')
  await vi.waitFor(() => expect(calls.gaps).toBeGreaterThan(1), eventually)
  expect(calls.changes).toEqual([])
  // On a busy machine the next connection may be given up as well, so one notification may be lost
  // too.
  await vi.waitFor(async () => {
    await notify('after the gap')
    expect(calls.changes).toContain('news: after the gap')
  }, eventually)
})

test('a quiet connection that answers its heartbeat is kept', async () => {
  const { calls } = await aListener()
  const before = await listenerPids()
  await new Promise((resolve) => setTimeout(resolve, PACE.heartbeatMs * 5))
  expect(calls).toMatchObject({ changes: [], gaps: 1, errors: [] })
  expect(await listenerPids()).toEqual(before)
})

describe('a listener whose database does not exist yet', () => {
  test('starts, and tries again until the database exists', async () => {
    const database = `late_${randomBytes(8).toString('hex')}`
    const { calls } = await aListener({ to: { ...connection, database } })
    await vi.waitFor(() => expect(calls.errors.length).toBeGreaterThan(2), eventually)
    expect(calls.gaps).toBe(0)
    const admin = await connect(inject('postgres'))
    await admin.query(`create database ${database}`)
    await vi.waitFor(() => expect(calls.gaps).toBe(1), eventually)
    await admin.query(`drop database ${database} with (force)`)
    await admin.end()
  })
})

test('a stopped listener closes its connection and opens no other', async () => {
  const { listener, calls } = await aListener()
  expect(await listenerPids()).toHaveLength(1)
  await listener.stop()
  await vi.waitFor(async () => expect(await listenerPids()).toEqual([]), eventually)
  await notify('after the stop')
  expect(calls).toMatchObject({ changes: [], gaps: 1, errors: [] })
})
