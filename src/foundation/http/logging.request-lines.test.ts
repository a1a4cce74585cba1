import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { DatabaseUnavailableError } from '../db/unavailable.ts'
import { parseTrustProxy } from './client-address.ts'
import { logFailure } from './last-resort.ts'
import { createLogger } from './logging.ts'
import { createHttpServer } from './server.ts'

let clock = 0
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})
afterEach(() => {
  vi.restoreAllMocks()
})

function aServer(logsAddresses?: boolean) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const logger = createLogger({ level: 'info', destination })
  const app = createHttpServer({ logger, trust: parseTrustProxy('10.0.0.1'), logsAddresses })
  app.get('/fine', async () => 'fine')
  app.get('/away', (request, reply) => {
    logFailure(request, new DatabaseUnavailableError('away', String(request.headers['x-code'])))
    reply.code(503).send('away')
  })
  return { app, lines }
}

/** Codes of this file alone: what was written a moment ago is known to the whole process. */
const REFUSED = 'refused-in-this-file'
const STOPPING = 'stopping-in-this-file'

test('an outage writes two lines a second for each cause, with the number left out', async () => {
  const { app, lines } = aServer()
  const ask = (code: string) => app.inject({ url: '/away', headers: { 'x-code': code } })
  for (let i = 0; i < 50; i += 1) await ask(REFUSED)
  for (let i = 0; i < 50; i += 1) await ask(STOPPING)
  const causes = lines.filter(({ msg }) => msg === 'request failed')
  expect(causes.map(({ err }) => (err as { errorCode: string }).errorCode)).toEqual([
    REFUSED,
    STOPPING,
  ])
  expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(1)
  clock += 1000
  await ask(STOPPING)
  const last = (msg: string) => lines.findLast((line) => line.msg === msg)
  expect(last('request failed')).toMatchObject({ leftOut: 49 })
  // Written when the answer is sent, a moment after the client has it.
  const sent = () => expect(last('request')).toMatchObject({ status: 503, leftOut: 99 })
  await vi.waitFor(sent, eventually)
})

test('the address of a caller is in no line unless it is wanted, and is the one that a trusted proxy names', async () => {
  const from = (remoteAddress: string) => ({
    url: '/fine',
    remoteAddress,
    headers: { 'x-forwarded-for': '203.0.113.9' },
  })
  const usual = aServer()
  await usual.app.inject(from('10.0.0.1'))
  await vi.waitFor(() => expect(usual.lines).toHaveLength(1), eventually)
  expect(usual.lines[0]).not.toHaveProperty('address')
  expect(JSON.stringify(usual.lines)).not.toContain('203.0.113.9')
  const told = aServer(true)
  await told.app.inject(from('10.0.0.1'))
  await told.app.inject(from('198.51.100.7'))
  await vi.waitFor(() => expect(told.lines).toHaveLength(2), eventually)
  expect(told.lines.map(({ address }) => address)).toEqual(['203.0.113.9', '198.51.100.7'])
})
