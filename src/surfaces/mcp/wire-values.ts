import { z } from 'zod'

/** PostgreSQL cannot store or compare text with a null character. */
export const words = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, 'remove the null character')

/** Models read dates better than counted seconds. */
export const time = z.string().describe('RFC 3339, UTC')
export const maybeTime = z.string().nullable().describe('RFC 3339, UTC; null if there is none')

export const amount = z
  .number()
  .int()
  .describe('in the minor unit of the currency: 1999 with USD is 19.99')
export const currency = z.string().describe('ISO 4217')

export function timeOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString()
}

/** The beginning of a long text; `fetch` gives the whole. */
export function excerpt(text: string, length = 300): string {
  // Cut first: a list shows fifty texts of up to 64 KiB.
  const plain = text
    .slice(0, length * 8)
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= length ? plain : `${plain.slice(0, length - 1).trimEnd()}…`
}
