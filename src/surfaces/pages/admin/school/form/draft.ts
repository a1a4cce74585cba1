import type { Place, Row } from '../row.ts'
import { fromSeconds } from './duration.ts'
import type { PlannedField } from './field-rule.ts'
import { toLocalTime } from './local-time.ts'
import { toMajorUnits } from './money.ts'

/** The text of each field of a form, as it was typed: a list, because some fields hold several. */
export type Draft = Readonly<Record<string, readonly string[]>>

/** A form filled with the members of an object. */
export function draftOf(fields: readonly PlannedField[], object: Row, place: Place): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, typedFrom(field, object, place)]))
}

/** An empty form, filled with the defaults of the operation, or with what an action begins with for its object. */
export function blankDraft(fields: readonly PlannedField[], place: Place, about?: Row): Draft {
  const values = fields.map(({ name, initial, startsAs }) => [
    name,
    about === undefined || startsAs === undefined ? initial : startsAs(about),
  ])
  return draftOf(fields, { currency: about?.currency, ...Object.fromEntries(values) }, place)
}

function typedFrom(field: PlannedField, object: Row, place: Place): readonly string[] {
  const value = object[field.name]
  if (value === undefined || value === null) return []
  switch (field.kind) {
    case 'check':
      return value === true ? ['on'] : []
    case 'choices':
      return Array.isArray(value) ? value.map(String) : []
    case 'list':
      return Array.isArray(value) ? [value.join(', ')] : []
    case 'time':
      return [toLocalTime(new Date(String(value)), place.timeZone)]
    case 'duration':
      return [fromSeconds(Number(value))]
    case 'money':
      return [toMajorUnits(Number(value), currencyIn(object) ?? place.currency)]
    default:
      return [String(value)]
  }
}

/** The currency of the amounts of an object. */
export function currencyIn({ currency }: Row): string | undefined {
  return typeof currency === 'string' && currency !== '' ? currency : undefined
}

/** What a link from another page fills in; the person sends or changes it. */
export function suggested(fields: readonly PlannedField[], query: URLSearchParams): Draft {
  const given = fields.filter(
    ({ name, kind, resolve }) => (kind === 'email' || resolve !== undefined) && query.has(name),
  )
  return Object.fromEntries(given.map(({ name }) => [name, [query.get(name) ?? '']]))
}
