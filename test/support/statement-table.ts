import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { oneLine } from '../../src/foundation/text/one-line.ts'
import type { AnsweredRequest } from './request-costs.ts'

const TABLE = new URL('../fixtures/statements-per-request.json', import.meta.url)

/** The number of statements of each endpoint; `3-5` if it depends on the request. */
type Lines = Readonly<Record<string, number | string>>
/** By surface. */
type Table = Readonly<Record<string, Lines>>

const HOW_TO = `Every additional statement makes every such request slower: first look for one that can be removed.
If all are needed, rewrite the table and commit it:
  UPDATE_DOCS=1 npx vitest run --no-file-parallelism test/db/plans`

export function readTable(): Table {
  return JSON.parse(readFileSync(TABLE, 'utf8'))
}

/** Compares the statements of requests with the table, line by line. */
export function checkTable(part: string, answered: readonly AnsweredRequest[]): void {
  if (process.env.UPDATE_DOCS === '1') write(part, linesOf(answered))
  const differences = differencesFrom(readTable()[part] ?? {}, answered)
  if (differences.length === 0) return
  const title = `statements per request (${part}) differ from test/fixtures/statements-per-request.json:`
  expect.fail([title, ...differences.map((line) => `  ${line}`), HOW_TO].join('\n'))
}

export function differencesFrom(stored: Lines, answered: readonly AnsweredRequest[]): string[] {
  const found = linesOf(answered)
  return [...new Set([...Object.keys(found), ...Object.keys(stored)])]
    .toSorted()
    .filter((endpoint) => found[endpoint] !== stored[endpoint])
    .map((endpoint) => {
      const sent = answered.filter((one) => one.endpoint === endpoint && !one.isRefused)
      const [most] = sent.toSorted((a, b) => b.statements.length - a.statements.length)
      const texts = (most?.statements ?? []).map((text) => `\n    ${oneLine(text, 150)}`)
      return `${endpoint} ${inWords(stored[endpoint], found[endpoint])}${texts.join('')}`
    })
}

function linesOf(answered: readonly AnsweredRequest[]): Lines {
  const counts = new Map<string, number[]>()
  for (const { endpoint, isRefused, statements } of answered) {
    if (isRefused) continue
    counts.set(endpoint, [...(counts.get(endpoint) ?? []), statements.length])
  }
  const lines = [...counts].map(([endpoint, sizes]) => {
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
    return [endpoint, least === most ? least : `${least}-${most}`] as const
  })
  return Object.fromEntries(lines.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function inWords(stored: number | string | undefined, found: number | string | undefined): string {
  if (stored === undefined) return `sends ${found}, and has no line yet`
  if (found === undefined) return 'has a line, but no test calls it or it no longer exists'
  return `sends ${found} instead of ${stored}`
}

function write(part: string, lines: Lines): void {
  const parts = Object.entries({ ...readTable(), [part]: lines })
  const table = Object.fromEntries(parts.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(TABLE, `${JSON.stringify(table, null, 2)}\n`)
}
