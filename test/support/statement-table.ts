import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { oneLine } from '../../src/foundation/text/visible-text.ts'
import type { AnsweredRequest } from './request-costs.ts'

const TABLE = new URL('../fixtures/statements-per-request.json', import.meta.url)

/** The most statements that a request of each endpoint may send. */
type Lines = Readonly<Record<string, number>>
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
  const problems = problemsWith(readTable()[part] ?? {}, answered)
  if (problems.length === 0) return
  const title = `statements per request (${part}) and test/fixtures/statements-per-request.json:`
  expect.fail([title, ...problems.map((line) => `  ${line}`), HOW_TO].join('\n'))
}

export function problemsWith(bounds: Lines, answered: readonly AnsweredRequest[]): string[] {
  const found = linesOf(answered)
  return [...new Set([...Object.keys(found), ...Object.keys(bounds)])]
    .toSorted()
    .flatMap((endpoint) => {
      const problem = inWords(bounds[endpoint], found[endpoint])
      if (problem === undefined) return []
      const sent = answered.filter((one) => one.endpoint === endpoint && !one.isRefused)
      const [most] = sent.toSorted((a, b) => b.statements.length - a.statements.length)
      const texts = (most?.statements ?? []).map((text) => `\n    ${oneLine(text, 150)}`)
      return `${endpoint} ${problem}${texts.join('')}`
    })
}

function linesOf(answered: readonly AnsweredRequest[]): Lines {
  const most = new Map<string, number>()
  for (const { endpoint, isRefused, statements } of answered) {
    if (!isRefused) most.set(endpoint, Math.max(most.get(endpoint) ?? 0, statements.length))
  }
  return Object.fromEntries([...most].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function inWords(bound: number | undefined, found: number | undefined): string | undefined {
  if (bound === undefined) return `sends ${found}, and has no line yet`
  if (found === undefined) return 'has a line, but no test calls it or it no longer exists'
  return found > bound ? `sends ${found}, and may send ${bound}` : undefined
}

function write(part: string, lines: Lines): void {
  const parts = Object.entries({ ...readTable(), [part]: lines })
  const table = Object.fromEntries(parts.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(TABLE, `${JSON.stringify(table, null, 2)}\n`)
}
