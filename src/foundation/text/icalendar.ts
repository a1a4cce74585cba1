/** What a calendar shows of something with a time. */
export interface CalendarEvent {
  /** Stays while the time and everything else changes. */
  readonly uid: string
  readonly title: string
  readonly location: string
  readonly url: string
  readonly isCanceled: boolean
  readonly startsAt: Date
  readonly endsAt: Date
  readonly changedAt: Date
  /** Grows with each change. */
  readonly sequence: number
}

/**
 * A file that calendars read.
 *
 * @see RFC 5545, RFC 7986 §5.1
 */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Schoolgate//Bookings//EN'],
    ...[`NAME:${escaped(name)}`, `X-WR-CALNAME:${escaped(name)}`],
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return lines.map(folded).join('')
}

function linesOf(event: CalendarEvent): readonly string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    // Without a METHOD both are the time of the last change (§3.8.7.2).
    ...[`DTSTAMP:${utc(event.changedAt)}`, `LAST-MODIFIED:${utc(event.changedAt)}`],
    `SEQUENCE:${event.sequence}`,
    ...[`DTSTART:${utc(event.startsAt)}`, `DTEND:${utc(event.endsAt)}`],
    `SUMMARY:${escaped(event.title)}`,
    ...[`LOCATION:${escaped(event.location)}`, `URL:${event.url}`],
    `STATUS:${event.isCanceled ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
  ]
}

/** @see RFC 5545 §3.3.5 */
const utc = (at: Date): string =>
  `${at.toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '')}Z`

/**
 * A line break in a title would begin a property.
 *
 * @see RFC 5545 §3.3.11
 */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll('\n', '\\n')
}

const LINE_OCTETS = 75

/**
 * Folds between characters: one that is cut in two would be no UTF-8.
 *
 * @see RFC 5545 §3.1
 */
function folded(line: string): string {
  let text = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > LINE_OCTETS) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += size
  }
  return `${text}\r\n`
}
