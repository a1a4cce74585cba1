import { LruCache } from '../cache/lru-cache.ts'

/** Characters of all texts that are remembered: callers can make up texts, by what they change and filter by. */
const MAX_KNOWN = 2_000_000
const MAX_TABLES = 3
const MAX_READ = 4_000

const VERB = /\b(insert|update|delete|merge)\b/
const FIRST_WORD = /^\s*([a-z]+)/
const TABLE = /\b(?:from|into|update|join)\s+"?([a-z_]{1,63})\b/g
/** Stands after the name of a part, in `with found as (…)`. */
const PART = / as (?:materialized )?\(/

const known = new LruCache<string>(MAX_KNOWN)

/** The verb of a statement and its first tables, such as `select courses, lectures`. It holds no value. */
export function summarizeStatement(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const summary = summarize(text.slice(0, MAX_READ))
  known.set(text, summary, text.length)
  return summary
}

function summarize(text: string): string {
  const first = FIRST_WORD.exec(text)?.[1] ?? 'statement'
  const verb = first === 'with' ? (VERB.exec(text)?.[1] ?? 'select') : first
  const parts = new Set(
    text.split(PART).map((before) =>
      before
        .slice(-64)
        .split(/[\s,(]/)
        .at(-1),
    ),
  )
  const tables = [...text.matchAll(TABLE)].flatMap(([, name]) =>
    name === undefined || parts.has(name) ? [] : name,
  )
  return [verb, [...new Set(tables)].slice(0, MAX_TABLES).join(', ')].join(' ').trimEnd()
}
