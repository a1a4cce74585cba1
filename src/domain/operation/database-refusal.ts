import type { Refusal } from './refusal.ts'

interface DatabaseError {
  readonly code: string
  readonly detail?: string
  readonly column?: string
  readonly constraint?: string
}

/**
 * Checks of the tables that compare columns with each other, as whoever wrote them would put it. A
 * change of one column can break them, so the row as a whole is judged where it is written.
 */
const RULES: Readonly<Record<string, readonly [field: string, detail: string]>> = {
  coupons_check2: ['ends_at', 'A coupon must end after it starts.'],
  events_check: ['ends_at', 'An event must end after it starts.'],
  lectures_check: [
    'unlock_at',
    'A lecture opens after some days or at a date: fill in one of the two.',
  ],
}

/**
 * The rules that only the database can judge (what is unique, what exists, what is still in use), as
 * refusals. Values of other rows never reach the caller: only the names of columns are read.
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
      return error.detail?.includes('is still referenced') === true
        ? {
            kind: 'conflict',
            code: 'in_use',
            detail: 'Other objects still refer to this one, so it cannot be removed. Archive it.',
          }
        : unknownReference(column)
    case '23514':
      return contradiction(error.constraint ?? '')
    case '22021':
    case '22P05':
      return refused('', 'invalid_text', 'A text holds a character that cannot be stored.')
    case '22007':
    case '22008':
      return refused('', 'invalid_time', 'A time is out of range.')
    case '22003':
      return refused('', 'out_of_range', 'A number is out of range.')
    default:
      return undefined
  }
}

function contradiction(constraint: string): Refusal {
  const rule = Object.hasOwn(RULES, constraint) ? RULES[constraint] : undefined
  if (rule !== undefined) return refused(`/${rule[0]}`, 'inconsistent', rule[1])
  const detail = 'The values do not fit together. Check them against the reference.'
  return refused('', 'inconsistent', detail)
}

function unknownReference(column: string | undefined): Refusal {
  const field = column ?? ''
  return refused(
    field === '' ? '' : `/${field}`,
    'unknown_reference',
    `There is no object with this id at this school. Check ${field || 'the ids'}.`,
  )
}

function refused(pointer: string, code: string, detail: string): Refusal {
  return { kind: 'invalid', problems: [{ pointer, code, detail }] }
}

/** `Key (school_id, slug)=(…) already exists.` names the field in its last column. */
function columnIn(detail: string | undefined): string | undefined {
  return /^Key \((?:[^)]*, )?"?([a-z_]+)"?\)=/.exec(detail ?? '')?.[1]
}

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && typeof Reflect.get(error, 'code') === 'string'
}
