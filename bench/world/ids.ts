import { createHash } from 'node:crypto'

/** The id that `bench_id(kind, n)` gives in SQL, so that rows made there can be named here. */
export function idOf(kind: string, n: number): string {
  const hex = createHash('md5').update(`${kind} ${n}`).digest('hex')
  return [0, 8, 12, 16, 20, 32]
    .slice(1)
    .map((end, index) => hex.slice([0, 8, 12, 16, 20][index], end))
    .join('-')
}

export const BENCH_ID_SQL = `
  create or replace function bench_id(kind text, n bigint) returns uuid language sql immutable
    return md5(kind || ' ' || n)::uuid`
