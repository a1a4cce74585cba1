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
