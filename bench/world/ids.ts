import { createHash } from 'node:crypto'

/** The id that `bench_id(kind, n)` makes in SQL, to name rows that SQL made. */
export function idOf(kind: string, n: number): string {
  const hex = createHash('md5').update(`${kind} ${n}`).digest('hex')
  return [0, 8, 12, 16, 20, 32]
    .slice(1)
    .map((end, index) => hex.slice([0, 8, 12, 16, 20][index], end))
    .join('-')
}

/**
 * The time of the first seeded token pair; one per millisecond, because real ids grow with time.
 */
export const FIRST_PAIR_AT = 1_700_000_000_000

/** The id of a seeded pair: the time of the nth pair, and 15 digits that make it unique. */
export function pairId(n: number, digits: string): string {
  return idAt(FIRST_PAIR_AT + n, digits)
}

/** The id of a row that was made at this time. */
export function idAt(milliseconds: number, digits: string): string {
  const time = milliseconds.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8${digits.slice(0, 3)}-${digits.slice(3)}`
}

export const BENCH_ID_SQL = `
  create or replace function bench_id(kind text, n bigint) returns uuid language sql immutable
    return md5(kind || ' ' || n)::uuid`
