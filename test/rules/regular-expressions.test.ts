import { readFileSync, writeFileSync } from 'node:fs'
import { check } from 'recheck'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addTo, type Expression, findExpressions } from './regular-expressions.ts'

/**
 * No regular expression of the product takes more than linear time. `recheck` decides. Those that
 * it found safe stand in a file, because judging all of them takes a minute. A new one is judged
 * now, and must be added: `npm run expressions`.
 */

const KNOWN = new URL('../fixtures/safe-expressions.json', import.meta.url)
const UPDATE = process.env.UPDATE_EXPRESSIONS === '1'

/** Not proven linear, each with the bound on what it reads. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/foundation/http/logging.ts /\\b(?=[\\w-]*[A-Z])(?=[\\w-]*\\d)[\\w-]{40,}/g':
    'reads the first 2,000 characters of a message',
  'src/foundation/db/embedded/account.ts /^\\s*(\\d+)\\s+(\\d+)\\s+(\\S+)\\s+(.*)$/':
    'reads one line of `ps` on this machine',
  'src/foundation/db/embedded/bring-up.ts /lock file ".*" already exists/':
    'reads the last lines that our own PostgreSQL wrote when it did not start',
  'src/foundation/db/embedded/bring-up.ts /lock file ".*" is empty/':
    'reads the last lines that our own PostgreSQL wrote when it did not start',
  'src/foundation/db/embedded/bring-up.ts /pre-existing shared memory block .* is still in use/':
    'reads the last lines that our own PostgreSQL wrote when it did not start',
  'src/foundation/db/embedded/bring-up.ts /could not (map|create) .*shared memory|Cannot allocate memory/':
    'reads the last lines that our own PostgreSQL wrote when it did not start',
}

/** Makes expressions while it runs, and not when it is loaded. */
const MADE_LATER: Readonly<Record<string, string>> = {
  'src/domain/operation/database-refusal.ts':
    'from the name of a table of ours, for a message of PostgreSQL',
}

const ROOT = new URL('../../', import.meta.url).pathname

/** Loads a file once more and records the expressions that it makes from texts. */
async function madeBy(file: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = []
  const real = globalThis.RegExp
  globalThis.RegExp = new Proxy(real, {
    construct(target, given: [string, string?]) {
      const expression = new target(...given)
      // Files that it loads make some too.
      const [, , by = ''] = (new Error().stack ?? '').split('\n')
      if (by.includes(file)) made.push(expression)
      return expression
    },
  })
  try {
    await import(`${ROOT}${file}?recorded`)
  } finally {
    globalThis.RegExp = real
  }
  return made
}

async function allExpressions(): Promise<ReadonlyMap<string, Expression>> {
  const { literals, makers } = findExpressions()
  const all = new Map(literals)
  for (const file of makers) {
    if (file in MADE_LATER) continue
    const made = await madeBy(file)
    expect(made.length, `${file} makes no expression when it is loaded`).toBeGreaterThan(0)
    for (const { source, flags } of made) addTo(all, source, flags, file)
  }
  // Those of the schema library that fields use.
  for (const expression of [
    z.regexes.email,
    z.regexes.datetime({ offset: true }),
    z.regexes.date,
  ]) {
    addTo(all, expression.source, expression.flags, 'zod')
  }
  return all
}

describe('regular expressions', () => {
  test('take linear time, or read a bounded text', async () => {
    const all = await allExpressions()
    const known = new Set<string>(JSON.parse(readFileSync(KNOWN, 'utf8')))
    const dear: string[] = []
    const safe: string[] = []
    for (const [key, { pattern, flags, files }] of all) {
      if (files.every((file) => `${file} ${key}` in BOUNDED)) continue
      if (!known.has(key)) {
        const { status } = await check(pattern, flags, { timeout: 60_000 })
        if (status !== 'safe') {
          dear.push(`${files.join(', ')} ${key}: ${status}`)
          continue
        }
      }
      safe.push(key)
    }
    expect(dear).toEqual([])
    if (UPDATE) writeFileSync(KNOWN, `${JSON.stringify(safe.sort(), null, 2)}\n`)
    const isNew = (key: string) => !UPDATE && !known.has(key)
    expect(safe.filter(isNew), 'safe, and not in the file yet: npm run expressions').toEqual([])
  }, 600_000)

  test('every exception is still needed', () => {
    const { literals, makers } = findExpressions()
    const present = new Set(
      [...literals].flatMap(([key, { files }]) => files.map((file) => `${file} ${key}`)),
    )
    expect(Object.keys(BOUNDED).filter((key) => !present.has(key))).toEqual([])
    expect(Object.keys(MADE_LATER).filter((file) => !makers.includes(file))).toEqual([])
  })

  test('the checker finds an expression that takes the square of its input', async () => {
    for (const pattern of ['^(a+)+$', '\\s+$']) {
      expect((await check(pattern, '', { timeout: 60_000 })).status).toBe('vulnerable')
    }
  })
})
