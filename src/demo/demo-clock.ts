const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/**
 * The times of the demo world, written relative to the moment when it is made:
 *
 * - `-75d 05:00`: 75 days before today (UTC) at that time, by default at 09:00;
 * - `-3h`: hours from the current hour;
 * - `week -2 thu 19:30`: a weekly appointment on the wall clock of the school. Week 0 is the next
 *   to start, week -1 the last that has started.
 *
 * Minutes may follow: `week 0 thu 19:30 +60m`.
 */
export class DemoClock {
  readonly #now: number

  constructor(now: Date) {
    this.#now = now.getTime()
  }

  read(text: string, timeZone = 'UTC'): Date {
    const [, moment = '', minutes = '0'] = /^(.+?)(?: \+(\d+)m)?$/.exec(text) ?? []
    return new Date(this.#momentOf(moment, timeZone) + Number(minutes) * MINUTE)
  }

  #momentOf(text: string, timeZone: string): number {
    const [, days, time = '09:00'] = /^([+-]?\d+)d(?: (\d\d:\d\d))?$/.exec(text) ?? []
    if (days !== undefined) return startOf(this.#now, DAY) + Number(days) * DAY + minutesOf(time)
    const [, hours] = /^([+-]?\d+)h$/.exec(text) ?? []
    if (hours !== undefined) return startOf(this.#now, HOUR) + Number(hours) * HOUR
    const [, week, weekday = '', at = ''] =
      /^week ([+-]?\d+) ([a-z]{3}) (\d\d:\d\d)$/.exec(text) ?? []
    if (week === undefined || !WEEKDAYS.includes(weekday)) {
      throw new Error(`${text} is no time of the demo world`)
    }
    return this.#appointment(Number(week), weekday, at, timeZone)
  }

  /** Counted on the wall clock, so that a change to summer time does not move a class. */
  #appointment(week: number, weekday: string, time: string, timeZone: string): number {
    for (let ahead = -1; ahead <= 8; ahead++) {
      const day = startOf(onWallClock(this.#now + ahead * DAY, timeZone), DAY)
      const isWeekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] === weekday
      if (isWeekday && instantOf(day + minutesOf(time), timeZone) > this.#now) {
        return instantOf(day + week * 7 * DAY + minutesOf(time), timeZone)
      }
    }
    throw new Error(`no ${weekday} comes within nine days`)
  }
}

function startOf(instant: number, unit: number): number {
  return Math.floor(instant / unit) * unit
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) * MINUTE
}

/** What the clocks in a time zone show at an instant, as if it were UTC. */
function onWallClock(instant: number, timeZone: string): number {
  return instant + offsetAt(instant, timeZone)
}

function instantOf(wall: number, timeZone: string): number {
  const guess = wall - offsetAt(wall, timeZone)
  return wall - offsetAt(guess, timeZone)
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
  return minutesOf(time) * (sign === '-' ? -1 : 1)
}
