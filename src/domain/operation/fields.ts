import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { UUID } from '../../foundation/protocol/token-format.ts'
import { visibleText } from '../../foundation/text/visible-text.ts'

/**
 * Wire types that operations share. None but `line` and `time` transforms: the checked value is the
 * value that was sent.
 */

export const id = z
  .string()
  .regex(UUID, 'Write the id as it was given: a UUID in lower-case letters.')
  .meta({ format: 'uuid' })

/** PostgreSQL cannot store a null character. */
const NO_NULL = /^[^\u0000]*$/

const IN_MARKDOWN = 'Markdown; raw HTML in it is shown as text.'

export const text = (min: number, max: number) =>
  z
    .string()
    .min(min, `Write at least ${min} character${min === 1 ? '' : 's'}.`)
    .max(max, `Use at most ${max} characters.`)
    .regex(NO_NULL, 'Remove the null character.')

const LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/

/** Besides spaces: letters that are drawn as nothing. */
const VISIBLE = /[^\s\u115f\u1160\u2800\u3164\uffa0]/

/**
 * One line that is shown as a heading or a name. Characters that draw nothing are removed and not
 * refused: the person who sent them cannot see them.
 */
export const line = (max: number) =>
  z
    .string()
    .overwrite(visibleText)
    .min(1, 'Write at least one character.')
    .max(max, `Use at most ${max} characters.`)
    .regex(LINE, 'Remove line breaks and control characters.')
    .regex(VISIBLE, 'Use at least one visible character.')

export const slug = z
  .string()
  .max(120, 'Use at most 120 characters.')
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    'Use lower-case letters and digits, in words joined by single hyphens.',
  )

/**
 * The longest text that a school may write, in bytes of UTF-8. What it costs to show one follows
 * from this.
 */
const TEXT_BYTES = 64 * 1024
const TOO_LONG = `Write at most ${TEXT_BYTES} bytes: about as many letters of English, or a third as many of Chinese.`

/** A text in Markdown, as it may be written. */
export const markdown = (max: number = TEXT_BYTES) =>
  z
    .string()
    .max(max, {
      error: max < TEXT_BYTES ? `Use at most ${max} characters.` : TOO_LONG,
      abort: true,
    })
    .refine((value) => Buffer.byteLength(value) <= TEXT_BYTES, TOO_LONG)
    .regex(NO_NULL, 'Remove the null character.')
    .meta({ description: `${IN_MARKDOWN} At most ${TEXT_BYTES} bytes in UTF-8.` })

/** A text as it is shown: one from before the limit may be longer. */
export const writtenMarkdown = z.string().meta({ description: IN_MARKDOWN })

/** Members see it as a link, so a `javascript:` address must not pass. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'Write an address that begins with https://.' })
  .max(2000, 'Use at most 2000 characters.')

/**
 * Kept in UTC and to the millisecond: PostgreSQL refuses some of the offsets that are allowed here.
 *
 * @see RFC 3339 §5.6
 */
export const time = z.iso
  .datetime({ offset: true, error: 'Write a time such as 2027-01-31T09:00:00Z.' })
  .refine((value) => !/^(?:0|[3-9])/.test(value), 'Write a year from 1000 to 2999.')
  .overwrite(inUtc)

/** A text that is no time was refused before. */
function inUtc(time: string): string {
  const moment = new Date(time)
  return Number.isNaN(moment.getTime()) ? time : moment.toISOString()
}

/** Times in answers are always in UTC. */
export const utc = z.iso.datetime()

/** Far above any price, and far below the largest integer that a double holds exactly. */
export const amount = z
  .int()
  .min(0)
  .max(999_999_999_999)
  .meta({ description: 'In the minor unit of the currency: cents for USD, yen for JPY.' })

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'Write a currency code of three capital letters, such as USD.')
  .meta({ description: 'ISO 4217.' })

/** Of a new object. */
export const currencyOrOwn = currency
  .optional()
  .meta({ description: 'The school’s currency if left out.' })

export const count = z.int().min(0)
export const version = z.int().min(1).meta({ description: 'Goes up by one with every change.' })

/**
 * For changes: refuse if the object has another version by now. The REST API takes it from
 * If-Match.
 */
export const ifVersion = version.optional()

export const EMAIL_WORDS = 'Enter an email address, such as name@school.example.'
export const email = z.email(EMAIL_WORDS).max(320, 'Use at most 320 characters.')

/** Members of every object that can be changed. */
export const stamps = { created_at: utc, updated_at: utc, version }

/** A wire time as a column value; null if it was left out. */
export function dateOrNull(value: string | null | undefined): Date | null {
  return value === null || value === undefined ? null : new Date(value)
}

/** A time inside JSON that PostgreSQL builds, in the same format as all other times. */
export function wireTime(reference: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(reference)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A field of an object without what a new object gets if the field is left out. */
type Value<F> = F extends z.ZodDefault<infer I> | z.ZodOptional<infer I> ? Value<I> : F
type Values<F extends z.ZodRawShape> = { readonly [K in keyof F]: Value<F[K]> }
export type ChangeFields<F extends z.ZodRawShape> = {
  readonly [K in keyof F]: Value<F[K]> extends infer V extends z.core.SomeType
    ? z.ZodOptional<V>
    : never
}

/** The fields of new objects as answers have them: none is left out. */
export function valueFields<F extends z.ZodRawShape>(fields: F): Values<F> {
  return mapped(fields, (schema) => schema) as Values<F>
}

/** The fields of new objects as a change takes them: one that is left out stays unchanged. */
export function changeFields<F extends z.ZodRawShape>(fields: F): ChangeFields<F> {
  return mapped(fields, (schema) => schema.optional()) as unknown as ChangeFields<F>
}

function mapped(fields: z.ZodRawShape, to: (schema: z.ZodType) => z.ZodType): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, to(givenValue(schema as z.ZodType))]),
  )
}

function givenValue(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? givenValue(schema.unwrap() as z.ZodType)
    : schema
}
