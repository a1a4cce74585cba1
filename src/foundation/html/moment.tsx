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
