/** A length in a form: three fields for hours, minutes and seconds, kept in a draft as one text such as `1:05:30`. */

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
