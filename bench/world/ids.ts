import { createHash } from 'node:crypto'

/** The id that `bench_id(kind, n)` gives in SQL, so that rows made there can be named here. */
export function idOf(kind: string, n: number): string {
  const hex = createHash('md5').update(`${kind} ${n}`).digest('hex')
  return [0, 8, 12, 16, 20, 32]
    .slice(1)
    .map((end, index) => hex.slice([0, 8, 12, 16, 20][index], end))
    .join('-')
}

/** When the seeded token pairs begin, one each millisecond: their ids grow with time, as real ones do. */
export const FIRST_PAIR_AT = 1_700_000_000_000

/** The shape of the ids of seeded pairs: the time of the nth, and 15 digits that tell it from others. */
export function pairId(n: number, digits: string): string {
  const time = (FIRST_PAIR_AT + n).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8${digits.slice(0, 3)}-${digits.slice(3)}`
}

export const BENCH_ID_SQL = `
  create or replace function bench_id(kind text, n bigint) returns uuid language sql immutable
    return md5(kind || ' ' || n)::uuid`
