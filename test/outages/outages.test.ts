import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { missing } from './machine/needs.ts'
import { overloadOf } from './report/overload.ts'
import { pageOf } from './report/page.ts'
import { merge, readRecord } from './report/record.ts'
import { type Result, resultOf } from './report/result.ts'
import { SCENARIOS } from './scenarios.ts'
import { failureOf } from './traffic/caller.ts'
import { Figures } from './traffic/figures.ts'
import { Ledger, type LedgerPair } from './traffic/ledger.ts'

const aPair = (mintedAt: number, authorization = 1): LedgerPair => ({
  ...{ access: 'a', refresh: 'r', clientId: 'c', authorization, mintedAt },
})

describe('the ledger', () => {
  test('knows of a pair what was certain at a moment, and nothing of what was on its way', () => {
    const ledger = new Ledger()
    const pair = ledger.minted(aPair(10))
    ledger.ending(pair, 20)
    ledger.ended(pair, 30)
    expect(ledger.alive(9, 9)).toEqual([])
    expect(ledger.alive(15, 19)).toEqual([pair])
    expect(ledger.alive(15, 20)).toEqual([])
    expect(ledger.dead(29)).toEqual([])
    expect(ledger.dead(30)).toEqual([pair])
  })

  test('remembers the first request that ends a pair, because it may have been executed', () => {
    const ledger = new Ledger()
    const pair = ledger.minted(aPair(10))
    ledger.ending(pair, 20)
    ledger.ending(pair, 40)
    expect(ledger.alive(15, 30)).toEqual([])
  })

  test('tries a pair that ended twice once', () => {
    const ledger = new Ledger()
    const pair = ledger.minted(aPair(10))
    ledger.ended(pair, 20)
    ledger.ended(pair, 30)
    expect(ledger.dead()).toEqual([pair])
  })
})

describe('a failure', () => {
  const answer = (status: number, headers = {}) => failureOf({ status, headers, body: '' })

  test('is an answer without a verdict, or none', () => {
    expect(failureOf(undefined)).toBe('no answer')
    expect(answer(503, { 'retry-after': '1' })).toBe('503')
    expect(answer(503)).toBe('503 without Retry-After')
    expect(answer(500)).toBe('500')
    expect([200, 302, 400, 401].map((status) => answer(status))).toEqual(Array(4).fill(undefined))
  })

  test('counts for the recovery if its request began after the database was back', () => {
    const figures = new Figures()
    for (const startedAt of [900, 1500, 2500]) figures.failed({ port: 1, startedAt, kind: '503' })
    figures.failed({ port: 2, startedAt: 9000, kind: '503' })
    expect(figures.recovery(1, 1000)).toBe(1.5)
    expect(figures.recovery(1, 2501)).toBe(0)
  })
})

describe('a result', () => {
  const [scenario] = SCENARIOS
  const resultWith = (
    change: (run: { ledger: Ledger; figures: Figures }) => void,
    recovery = 0,
  ) => {
    const traffic = { ledger: new Ledger(), figures: new Figures(), errors: [] }
    change(traffic)
    if (scenario === undefined) throw new Error('no scenario')
    return resultOf(scenario, { traffic: traffic as never, recovery }, 1)
  }

  test('holds with 503 and lost answers alone', () => {
    const { problems } = resultWith(({ figures }) => {
      figures.failed({ port: 1, startedAt: 0, kind: '503' })
      figures.failed({ port: 1, startedAt: 0, kind: 'no answer' })
    }, 2)
    expect(problems).toEqual([])
  })

  test.each<[string, (run: { ledger: Ledger; figures: Figures }) => void]>([
    ['a lost write', ({ ledger }) => ledger.lost.push('x')],
    ['a revoked token that was accepted', ({ ledger }) => ledger.revokedAccepted.push('x')],
    ['a client that was signed out', ({ ledger }) => ledger.signedOut.push('x')],
    ['an answer of 500', ({ figures }) => figures.failed({ port: 1, startedAt: 0, kind: '500' })],
  ])('fails with %s', (_what, change) => {
    expect(resultWith(change).problems).toHaveLength(1)
  })

  test('fails with a recovery of more than two seconds', () => {
    expect(resultWith(() => undefined, 2.1).problems).toHaveLength(1)
  })
})

test('an overload is judged by the peak, and by what comes after it', () => {
  const answers = { 200: { perSecond: 100, p50: 1, p99: 2, most: 3 } }
  const loads = [{ answers, retryAfterMissing: 0 }]
  const judged = (atFourTimes: number, afterwards: number) =>
    overloadOf([{ kind: 'reads', peak: 100, atFourTimes, afterwards, loads }], 'today').problems
  expect(judged(81, 91)).toEqual([])
  expect(judged(79, 91)).toHaveLength(1)
  expect(judged(81, 89)).toHaveLength(1)
})

test('a run of one scenario replaces its row only', () => {
  const row = (name: string, requests: number) => ({ name, requests }) as Result
  const merged = merge(['a', 'b', 'c'], [row('b', 1), row('a', 1)], [row('b', 2)])
  expect(merged).toEqual([row('a', 1), row('b', 2)])
})

test('a package that is not installed is named', () => {
  expect(missing([])).toEqual([])
  expect(() => missing(['postgresql', 'patroni', 'etcd-server', 'haproxy'])).not.toThrow()
})

test('docs/reliability.md shows the recorded results, and all hold', () => {
  const record = readRecord()
  const { results, overload } = record
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8')
  expect(page).toBe(pageOf(record))
  const names = results.map(({ name }) => name)
  expect(SCENARIOS.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(names)
  expect(results.flatMap(({ problems }) => problems)).toEqual([])
  expect(overload?.problems ?? []).toEqual([])
})
