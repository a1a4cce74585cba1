import { count } from '../words.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** "3 days left", "5 hours left". */
export function timeLeft(until: Date, now: Date): string {
  const left = until.getTime() - now.getTime()
  if (left >= DAY) return `${count(Math.floor(left / DAY), 'day', 'days')} left`
  if (left >= HOUR) return `${count(Math.floor(left / HOUR), 'hour', 'hours')} left`
  return left > 0 ? 'less than an hour left' : 'too late'
}
