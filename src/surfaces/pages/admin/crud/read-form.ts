import { randomBytes } from 'node:crypto'
import { currencyOf } from '../../../../foundation/text/currency.ts'
import type { Ask, Place } from '../frame/operator.ts'
import type { FieldProblems, PlannedField } from './field-rules.ts'
import type { Row } from './row.ts'

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
  /** The fields that the author of a change has changed; the others are left out. */
  readonly changed?: readonly string[] | undefined
  /** The object that an action is about: typed amounts are in its currency. */
  readonly about?: Row | undefined
}

/**
 * Turns the text of a form into the input of an operation. The operation checks its own rules
 * later.
 */
export async function readForm(
  fields: readonly PlannedField[],
  form: URLSearchParams,
  reading: Reading,
): Promise<ReadForm> {
  const draft = withSuggestions(fields, form)
  const input: Record<string, unknown> = {}
  const problems: Record<string, string[]> = {}
  for (const field of fields) {
    const typed = draft[field.name] ?? []
    if (reading.changed?.includes(field.name) === false) continue
    const value = begunWith(field, typed, reading) ?? (await meant(field, typed, draft, reading))
    if (value.kind === 'problem') problems[field.name] = [value.problem]
    else if (value.kind === 'value') input[field.name] = value.value
  }
  return { draft, input, problems }
}

/**
 * A field of an action that was left as it began: its exact value, because a time in the form has
 * no seconds.
 */
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
      kind === 'duration' ? typedDuration(form, name) : spelled(kind, typedIn(form, name)),
    ]),
  )
}

/** Empty lines, and the order of scopes, are no change. */
function spelled(kind: PlannedField['kind'], typed: readonly string[]): readonly string[] {
  if (kind === 'scopes') return [...typed].sort()
  return kind === 'lines' ? typed.map((text) => linesOf(text).join('\n')) : typed
}

function linesOf(text: string): string[] {
  return [...new Set(text.split('\n').flatMap((line) => line.trim() || []))]
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
  return JSON.stringify(written(one)) === JSON.stringify(written(other))
}

const written = (texts: readonly string[]) =>
  texts.filter((text) => text !== '').map((text) => text.replaceAll('\r\n', '\n'))

/** A draft as drafts are compared: browsers send empty fields, and line breaks of their own. */
export function comparable(draft: Draft): Draft {
  return Object.fromEntries(Object.entries(draft).map(([name, texts]) => [name, written(texts)]))
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
  if (field.kind === 'choices' || field.kind === 'scopes') return is(typed)
  const text = typed[0] ?? ''
  if (field.kind === 'lines') return is(linesOf(text))
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

/**
 * An empty field that cannot be made from the other field, because a title in Chinese has no
 * letters for an address.
 */
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

/** The text of each field of a form, as it was typed: a list, because some fields hold several. */
export type Draft = Readonly<Record<string, readonly string[]>>

/** A form filled with the members of an object. */
export function draftOf(fields: readonly PlannedField[], object: Row, place: Place): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, typedFrom(field, object, place)]))
}

/**
 * An empty form, filled with the defaults of the operation, or with what an action begins with for
 * its object.
 */
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
    case 'lines':
      return Array.isArray(value) ? [value.join('\n')] : []
    case 'scopes':
      return Array.isArray(value) ? value.map(String).sort() : []
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
function currencyIn({ currency }: Row): string | undefined {
  return typeof currency === 'string' && currency !== '' ? currency : undefined
}

/** What a link from another page fills in; the person sends or changes it. */
export function suggested(fields: readonly PlannedField[], query: URLSearchParams): Draft {
  const given = fields.filter(
    ({ name, kind, resolve }) => (kind === 'email' || resolve !== undefined) && query.has(name),
  )
  return Object.fromEntries(given.map(({ name }) => [name, [query.get(name) ?? '']]))
}

/** Amounts as people type them, `49.00`, and as the wire has them: in the minor unit. */

export function toMajorUnits(amount: number, currency: string): string {
  const digits = digitsOf(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

/** The amount in the minor unit, or undefined if it is no amount of this currency. */
export function toMinorUnits(typed: string, currency: string): number | undefined {
  const digits = digitsOf(currency)
  // Group separators are accepted, and so is the decimal comma of many countries.
  const plain = typed
    .trim()
    .replace(/[\s'’]/g, '')
    .replace(/,(\d{1,2})$/, '.$1')
    .replace(/,(?=\d{3}(?:\D|$))/g, '')
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain) ?? []
  if (whole === '' || fraction.length > digits) return undefined
  return Number(whole) * 10 ** digits + Number(fraction.padEnd(digits, '0'))
}

function digitsOf(currency: string): number {
  return /^[A-Z]{3}$/.test(currency) ? currencyOf(currency).digits : 2
}

/**
 * A length in a form: three fields for hours, minutes and seconds, kept in a draft as one text such
 * as `1:05:30`.
 */

export const DURATION_PARTS = ['hours', 'minutes', 'seconds'] as const

/** The text of the three fields; a form of another program may send the seconds in one. */
export function typedDuration(form: URLSearchParams, name: string): readonly string[] {
  const whole = form.getAll(name).filter((text) => text.trim() !== '')
  if (whole.length > 0) return whole
  const parts = durationParts(
    DURATION_PARTS.map((part) => form.get(`${name}-${part}`) ?? '').join(':'),
  )
  return parts.every((part) => part === '') ? [] : [parts.join(':')]
}

/** The text of each field. */
export function durationParts(text: string): readonly string[] {
  const parts = text.split(':').map((part) => part.trim())
  return parts.length === 1 && /^\d{1,9}$/.test(text)
    ? partsOf(Number(text))
    : DURATION_PARTS.map((_, place) => parts[place] ?? '')
}

export function fromSeconds(seconds: number): string {
  return partsOf(seconds).join(':')
}

function partsOf(seconds: number): readonly string[] {
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(String)
}

/** Undefined if a part is not a whole number. An empty part is zero. */
export function toSeconds(text: string): number | undefined {
  const parts = text.includes(':') ? text.split(':') : [text]
  if (parts.length > DURATION_PARTS.length) return undefined
  if (!parts.every((part) => /^\d{0,9}$/.test(part.trim()))) return undefined
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0)
}

/** Times as a person at one place types them, `2027-01-31T09:00`, and as the wire has them. */

const TYPED = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:\.\d{1,3})?)?$/

/** A moment as the clocks at a place show it, to the minute. */
export function toLocalTime(moment: Date, timeZone: string): string {
  const part = partsIn(moment, timeZone)
  const two = (value: number) => String(value).padStart(2, '0')
  const year = String(part.year).padStart(4, '0')
  return `${year}-${two(part.month)}-${two(part.day)}T${two(part.hour)}:${two(part.minute)}`
}

/**
 * The moment at which the clocks of a place show this, or undefined if it is no time at all. Where
 * clocks go back it is the earlier of two; a time that they skip becomes the one an hour later.
 */
export function fromLocalTime(typed: string, timeZone: string): Date | undefined {
  const [, year, month, day, hour, minute] = TYPED.exec(typed.trim())?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const asUtc = new Date(Date.UTC(year, month - 1, day, hour, minute))
  if (toLocalTime(asUtc, 'UTC') !== typed.trim().replace(' ', 'T').slice(0, 16)) return undefined
  // A day to either side lies beyond any change of the clocks that matters here.
  const offsets = [-1, 1].map((days) => offsetAt(new Date(asUtc.getTime() + days * DAY), timeZone))
  const candidates = offsets.map((offset) => new Date(asUtc.getTime() - offset))
  const wanted = toLocalTime(asUtc, 'UTC')
  const exact = candidates.filter((moment) => toLocalTime(moment, timeZone) === wanted)
  const times = (exact.length > 0 ? exact : candidates).map((moment) => moment.getTime())
  return new Date(exact.length > 0 ? Math.min(...times) : Math.max(...times))
}

const DAY = 24 * 60 * 60 * 1000

function offsetAt(moment: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsIn(moment, timeZone)
  return Date.UTC(year, month - 1, day, hour, minute, second) - moment.getTime()
}

function partsIn(moment: Date, timeZone: string) {
  const found: Record<string, number> = {}
  for (const { type, value } of formatterFor(timeZone).formatToParts(moment)) {
    found[type] = Number(value)
  }
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = found
  return { year, month, day, hour, minute, second }
}

/** A zone that this Node does not know is no reason to show nothing. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const look = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  } as const
  try {
    return new Intl.DateTimeFormat('en-u-ca-iso8601', { ...look, timeZone })
  } catch {
    return new Intl.DateTimeFormat('en-u-ca-iso8601', { ...look, timeZone: 'UTC' })
  }
}

/** What a form offers where a time zone is typed. */
export const TIME_ZONES: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]),
]
