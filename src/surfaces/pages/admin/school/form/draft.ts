import type { Place, Row } from '../resource.ts'
import { textOf } from '../resource.ts'
import type { PlannedField } from './field-rule.ts'
import { toLocalTime } from './local-time.ts'
import { toMajorUnits } from './money.ts'

/** What stands in the fields of a form, as it was typed: a list, since some fields hold several. */
export type Draft = Readonly<Record<string, readonly string[]>>

/** A form filled with what an object is, or with what a new one starts from. */
export function draftOf(fields: readonly PlannedField[], object: Row, place: Place): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, typedFrom(field, object, place)]))
}

/** A form that nobody has written in: what the operation takes if nobody says otherwise. */
export function blankDraft(fields: readonly PlannedField[], place: Place): Draft {
  const given = fields.filter(({ initial }) => initial !== undefined)
  return draftOf(
    fields,
    Object.fromEntries(given.map((field) => [field.name, field.initial])),
    place,
  )
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
    case 'money':
      return [
        toMajorUnits(Number(value), textOf(object, field.currency ?? 'currency') || place.currency),
      ]
    default:
      return [String(value)]
  }
}

/** What a link from another page fills in, for the person to send or to change. */
export function suggested(fields: readonly PlannedField[], query: URLSearchParams): Draft {
  const given = fields.filter(({ name, kind }) => kind === 'email' && query.has(name))
  return Object.fromEntries(given.map(({ name }) => [name, [query.get(name) ?? '']]))
}
