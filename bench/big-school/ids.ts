import { createHash } from 'node:crypto'
import { FIRST_PAIR_AT, idOf } from '../world/ids.ts'
import type { SchoolSize } from './school-size.ts'

/**
 * The id of the nth row of a kind at a school; it grows with n, as real ids do. With casts, because
 * PostgreSQL makes no call of a function all of whose parts are immutable.
 */
export const BIG_ID_SQL = `
  create or replace function big_id(kind text, school int, n bigint) returns uuid language sql immutable
    return (lpad(to_hex(${FIRST_PAIR_AT} + n), 12, '0') || '7abc8' || left(md5(kind || school::text || ' ' || n::text), 15))::uuid`

/** The id that `big_id` makes in SQL. */
export function bigId(kind: string, { number }: SchoolSize, n: number): string {
  const digest = createHash('md5').update(`${kind}${number} ${n}`).digest('hex')
  const hex = `${(FIRST_PAIR_AT + n).toString(16).padStart(12, '0')}7abc8${digest.slice(0, 15)}`
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-')
}

export const schoolIdOf = ({ number }: SchoolSize): string => idOf('school', number)
