import type { ReasonCode } from '../../foundation/errors/catalogue.ts'
import type { Refusal } from './refusal.ts'

interface DatabaseError {
  readonly code: string
  readonly detail?: string
  readonly table?: string
  readonly constraint?: string
}

/**
 * Turns errors of constraints that only the database can check (unique, existing, still in use)
 * into refusals. It reads only the names of columns, so values of other rows never reach the
 * caller.
 */
export function refusalFromDatabase(error: unknown): Refusal | undefined {
  if (!isDatabaseError(error)) return undefined
  const column = columnIn(error.detail)
  switch (error.code) {
    case '23505':
      return {
        kind: 'conflict',
        code: 'taken',
        detail: `Another object of this school has this ${column ?? 'value'} already. Choose another.`,
        ...(column === undefined ? {} : { pointer: `/${column}` }),
      }
    case '23503':
      return isStillReferenced(error)
        ? {
            kind: 'conflict',
            code: 'in_use',
            detail: 'Other objects still refer to this one, so it cannot be removed. Archive it.',
          }
        : unknownReference(column)
    case '23514':
      return CONTRADICTION
    case '22021':
    case '22P05':
      return UNFIT_TEXT
    case '22P02':
      // In JSON, half a surrogate pair; anything else is a mistake of ours.
      return error.detail?.includes('surrogate') ? UNFIT_TEXT : undefined
    case '22007':
    case '22008':
      return refused('', 'invalid_time', 'A time is out of range.')
    case '22003':
      return refused('', 'out_of_range', 'A number is out of range.')
    default:
      return undefined
  }
}

const UNFIT_TEXT = refused('', 'invalid_text', 'A text holds a character that cannot be stored.')

/**
 * Operations and imports check row rules first; two writes at the same time can still break one.
 */
const CONTRADICTION = refused(
  '',
  'inconsistent',
  'The values do not fit together. Read the object again and check them.',
)

function unknownReference(column: string | undefined): Refusal {
  const field = column ?? ''
  return refused(
    field === '' ? '' : `/${field}`,
    'unknown_reference',
    `There is no object with this id at this school. Check ${field || 'the ids'}.`,
  )
}

function refused(pointer: string, code: ReasonCode, detail: string): Refusal {
  return { kind: 'invalid', problems: [{ pointer, code, detail }] }
}

/**
 * `Key (school_id, slug)=(…) already exists.` names the field in its last column. Only that part is
 * the same in every language of PostgreSQL's messages.
 */
function columnIn(detail: string | undefined): string | undefined {
  return /\((?:[^()]*, )?"?([a-z_]+)"?\)=\(/.exec(detail ?? '')?.[1]
}

/**
 * In these both tables are the same one. Rows that refer are deleted with the row they refer to.
 */
export const WITHIN_ONE_TABLE: ReadonlySet<string> = new Set(['comments_parent_at_same_lecture'])

/**
 * `table` is always the table that refers. `detail` quotes the same table if a row of it still
 * refers, and the other table if the row to refer to is missing.
 */
function isStillReferenced({ table, constraint = '', detail = '' }: DatabaseError): boolean {
  if (WITHIN_ONE_TABLE.has(constraint)) return false
  const quoted = detail.slice(detail.lastIndexOf(')') + 1)
  return table !== undefined && new RegExp(`\\W${table}\\W`).test(quoted)
}

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && typeof Reflect.get(error, 'code') === 'string'
}
