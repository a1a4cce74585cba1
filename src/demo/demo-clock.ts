const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface WeeklySlot {
  /** 1 is Monday (ISO 8601). */
  readonly weekday: number
  /** Wall-clock time in `timeZone`, such as `19:30`. */
  readonly time: string
  readonly timeZone: string
}

/**
 * Times of the demo world, relative to the moment it is made. They are on full hours, so that lists
 * look like those of a real school.
 */
export class DemoClock {
  readonly now: Date
  readonly #hour: number
  readonly #day: number

  constructor(now: Date) {
    this.now = now
    this.#hour = Math.floor(now.getTime() / HOUR) * HOUR
    this.#day = Math.floor(now.getTime() / DAY) * DAY
  }

  /** Whole hours from the current one; zero and below is never in the future. */
  hours(count: number): Date {
    return new Date(this.#hour + count * HOUR)
  }

  /**
   * `days` from today (UTC) at `time`: always in the past below zero, always in the future above
   * zero.
   */
  at(days: number, time = '09:00'): Date {
    return new Date(this.#day + days * DAY + minutesOf(time) * MINUTE)
  }

  /** The calendar day (UTC) that many days from today. */
  day(days: number): string {
    return new Date(this.#day + days * DAY).toISOString().slice(0, 10)
  }

  /**
   * A weekly slot's start: week 0 is the next one to start, week -1 the last that has started.
   * Counted on the slot's own wall clock, so a change to summer time does not move a class.
   */
  occurrence(slot: WeeklySlot, week: number): Date {
    for (let ahead = -1; ahead <= 8; ahead++) {
      const day = localDay(new Date(this.now.getTime() + ahead * DAY), slot.timeZone)
      const isWeekday = (day.getUTCDay() || 7) === slot.weekday
      if (isWeekday && instantOf(day, slot) > this.now) {
        return instantOf(new Date(day.getTime() + week * 7 * DAY), slot)
      }
    }
    throw new RangeError(`no weekday ${slot.weekday} in a week`)
  }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** The calendar day it is in a time zone, as that day's midnight in UTC. */
function localDay(instant: Date, timeZone: string): Date {
  const local = instant.getTime() + offsetAt(instant.getTime(), timeZone)
  return new Date(Math.floor(local / DAY) * DAY)
}

function instantOf(day: Date, { time, timeZone }: WeeklySlot): Date {
  const wall = day.getTime() + minutesOf(time) * MINUTE
  const guess = wall - offsetAt(wall, timeZone)
  return new Date(wall - offsetAt(guess, timeZone))
}

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetAt(instant: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, format)
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value
  const [, sign, time] = /^GMT([+-])(\d{2}:\d{2})$/.exec(name ?? '') ?? []
  if (time === undefined) return 0
  return minutesOf(time) * MINUTE * (sign === '-' ? -1 : 1)
}
