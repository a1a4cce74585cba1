import { randomBytes } from 'node:crypto'
import type { Ask } from '../field.ts'
import type { Place, Row } from '../row.ts'
import { blankDraft, currencyIn, type Draft, draftOf } from './draft.ts'
import { toSeconds, typedDuration } from './duration.ts'
import type { PlannedField } from './field-rule.ts'
import { fromLocalTime } from './local-time.ts'
import { toMinorUnits } from './money.ts'
import type { FieldProblems } from './problems.ts'

export interface ReadForm {
  /** As it was typed, to be shown again beside its problems. */
  readonly draft: Draft
  /** For the operation, without the fields that did not change. */
  readonly input: Row
  readonly problems: FieldProblems
}

interface Reading {
  readonly place: Place
  readonly ask: Ask
  /** The object that the form changes, as it is now. */
  readonly before?: Row | undefined
  /** The object that an action is about: typed amounts are in its currency. */
  readonly about?: Row | undefined
}

/** Turns the text of a form into the input of an operation. The operation checks its own rules later. */
export async function readForm(
  fields: readonly PlannedField[],
  form: URLSearchParams,
  reading: Reading,
): Promise<ReadForm> {
  const draft = withSuggestions(fields, form)
  const shown = reading.before && draftOf(fields, reading.before, reading.place)
  const input: Record<string, unknown> = {}
  const problems: Record<string, string[]> = {}
  for (const field of fields) {
    const typed = draft[field.name] ?? []
    if (shown !== undefined && sameText(typed, shown[field.name] ?? [])) continue
    const value = begunWith(field, typed, reading) ?? (await meant(field, typed, draft, reading))
    if (value.kind === 'problem') problems[field.name] = [value.problem]
    else if (value.kind === 'value') input[field.name] = value.value
  }
  return { draft, input, problems }
}

/** A field of an action that was left as it began: its exact value, because a time in the form has no seconds. */
function begunWith(
  field: PlannedField,
  typed: readonly string[],
  { about, place }: Reading,
): Value | undefined {
  if (about === undefined || field.startsAs === undefined) return undefined
  const begun = blankDraft([field], place, about)[field.name] ?? []
  return begun.length > 0 && sameText(typed, begun) ? is(field.startsAs(about)) : undefined
}

/** A form as it was sent, to be shown again. */
export function typedDraft(fields: readonly PlannedField[], form: URLSearchParams): Draft {
  return Object.fromEntries(
    fields.map(({ name, kind }) => [
      name,
      kind === 'duration' ? typedDuration(form, name) : typedIn(form, name),
    ]),
  )
}

function withSuggestions(fields: readonly PlannedField[], form: URLSearchParams): Draft {
  const typed = typedDraft(fields, form)
  const wordIn = (name: string) => typed[name]?.[0]?.trim() ?? ''
  const suggested = fields
    .filter(({ name, rule }) => rule.suggested && wordIn(name) === '')
    .map(({ name, suggest }) => [name, [suggest?.make(wordIn(suggest.from)) ?? '']])
  return { ...typed, ...Object.fromEntries(suggested) }
}

/** Browsers send line breaks as CRLF. */
function typedIn(form: URLSearchParams, name: string): readonly string[] {
  return form.getAll(name).map((text) => text.replaceAll('\r\n', '\n'))
}

function sameText(one: readonly string[], other: readonly string[]): boolean {
  const filled = (texts: readonly string[]) => JSON.stringify(texts.filter((text) => text !== ''))
  return filled(one) === filled(other.map((text) => text.replaceAll('\r\n', '\n')))
}

type Value =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'left-out' }
  | { readonly kind: 'problem'; readonly problem: string }

const is = (value: unknown): Value => ({ kind: 'value', value })
const wrong = (problem: string): Value => ({ kind: 'problem', problem })

async function meant(
  field: PlannedField,
  typed: readonly string[],
  draft: Draft,
  { place, ask, before, about }: Reading,
): Promise<Value> {
  if (field.kind === 'check') return is(typed.includes('on'))
  if (field.kind === 'choices') return is(typed)
  const text = typed[0] ?? ''
  if (text.trim() === '') return notSuggested(field, draft) ?? nothing(field)
  switch (field.kind) {
    case 'number': {
      const plain = text.trim()
      return /^-?\d{1,15}$/.test(plain) ? is(Number(plain)) : wrong('Write a whole number.')
    }
    case 'money': {
      const typedCurrency = draft.currency?.[0]?.trim()
      const currency = typedCurrency || currencyIn(before ?? about ?? {}) || place.currency
      const amount = toMinorUnits(text, currency)
      return amount === undefined ? wrong('Write an amount such as 49 or 49.50.') : is(amount)
    }
    case 'duration': {
      const seconds = toSeconds(text)
      return seconds === undefined ? wrong('Write whole numbers, such as 1 and 30.') : is(seconds)
    }
    case 'list':
      return is(text.split(/[\s,]+/).filter((part) => part !== ''))
    case 'time': {
      const moment = fromLocalTime(text, place.timeZone)
      return moment === undefined
        ? wrong('Write a date and a time, such as 2027-01-31 09:00.')
        : is(moment.toISOString())
    }
    case 'line':
    case 'date':
    case 'email':
    case 'color':
      return await resolved(field, text.trim(), ask)
    default:
      return is(text)
  }
}

async function resolved(field: PlannedField, text: string, ask: Ask): Promise<Value> {
  if (field.resolve === undefined) return is(text)
  const found = await field.resolve(text, ask)
  if (typeof found === 'object') return wrong(found.problem)
  return found === undefined ? wrong(field.unknown ?? 'There is no such thing here.') : is(found)
}

/** An empty field that cannot be made from the other field, because a title in Chinese has no letters for an address. */
function notSuggested({ rule, suggest }: PlannedField, draft: Draft): Value | undefined {
  if (!rule.suggested || suggest === undefined) return undefined
  // The other field reports that it is empty.
  if ((draft[suggest.from]?.[0]?.trim() ?? '') === '') return { kind: 'left-out' }
  return is(randomBytes(4).toString('hex'))
}

/** An empty field: an empty text if that is allowed, else null, else left out, else a problem. */
function nothing({ rule }: PlannedField): Value {
  if (rule.emptyText) return is('')
  if (rule.nullable) return is(null)
  return rule.mayBeEmpty ? { kind: 'left-out' } : wrong(MISSING)
}

export const MISSING = 'Fill this in.'
