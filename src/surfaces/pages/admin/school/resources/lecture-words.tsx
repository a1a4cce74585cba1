import type { Show } from '../resource.ts'
import { momentOf } from '../views/cells.tsx'

/** "1 h 5 min"; nothing where a lecture has no length. */
export const durationOf: Show = ({ duration_seconds: seconds }) => {
  if (typeof seconds !== 'number' || seconds === 0) return undefined
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`
}

/** When students may open a lecture. */
export const openingOf: Show = (lecture, place) => {
  const { unlock_after_days: days } = lecture
  if (typeof days === 'number') return `After ${days} ${days === 1 ? 'day' : 'days'}`
  return momentOf(lecture, 'unlock_at', place) ?? 'From the start'
}
