import { LruCache } from '../cache/lru-cache.ts'

/** A point in time as people of one time zone write it. */
export function Moment({ at, timeZone }: { at: Date; timeZone: string }) {
  return <time dateTime={at.toISOString()}>{formatterFor(timeZone).format(at)}</time>
}

/**
 * A moment with its time zone, for readers who may be in another one, such as those of an online
 * event.
 */
export function MomentInZone(props: { at: Date; timeZone: string }) {
  return (
    <>
      <Moment {...props} /> ({placeOf(props.timeZone)} time)
    </>
  )
}

/** "19 Nov 2026, 17:00 to 18:00 (Taipei time)"; the day of the end only if it is another one. */
export function Hours(props: { from: Date; to: Date; timeZone: string; inZone?: boolean }) {
  const { from, to, timeZone, inZone = true } = props
  return (
    <>
      <Moment at={from} timeZone={timeZone} /> to{' '}
      <time dateTime={to.toISOString()}>{endInWords(from, to, timeZone)}</time>
      {inZone && <> ({placeOf(timeZone)} time)</>}
    </>
  )
}

/** `Hours` where there can be no markup. */
export function hoursInWords(from: Date, to: Date, timeZone: string): string {
  return `${formatterFor(timeZone).format(from)} to ${endInWords(from, to, timeZone)}`
}

/** The time of day of what ends on the day of its start. */
export function endInWords(from: Date, to: Date, timeZone: string): string {
  const [start, end] = [from, to].map((at) => formatterFor(timeZone).format(at))
  const [day, time] = (end ?? '').split(', ')
  return time !== undefined && start?.startsWith(`${day},`) ? time : (end ?? '')
}

/**
 * "Taipei" of "Asia/Taipei", "Knox, Indiana" of "America/Indiana/Knox". "Etc/GMT+8" says the
 * opposite of "GMT+8" and stays.
 */
export function placeOf(timeZone: string): string {
  if (timeZone.startsWith('Etc/GMT')) return timeZone
  const [first = '', ...places] = timeZone.replaceAll('_', ' ').split('/')
  return places.length === 0 ? first : places.reverse().join(', ')
}

/** A school may name any time zone, and another one tomorrow. */
const formatters = new LruCache<Intl.DateTimeFormat>(1000)

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const made = makeFormatter(timeZone)
  formatters.set(timeZone, made, 1)
  return made
}

/** A time zone that this Node does not know falls back to UTC. */
function makeFormatter(timeZone: string): Intl.DateTimeFormat {
  const look = { dateStyle: 'medium', timeStyle: 'short' } as const
  try {
    return new Intl.DateTimeFormat('en-GB', { ...look, timeZone })
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...look, timeZone: 'UTC' })
  }
}
