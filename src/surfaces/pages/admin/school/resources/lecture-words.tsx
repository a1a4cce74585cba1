import type { Show } from '../row.ts'
import { momentOf } from '../views/cells.tsx'

/** "1 h 5 min"; nothing for a lecture without a length. */
export function durationOf({ duration_seconds: seconds }: { readonly duration_seconds: number }) {
  if (seconds === 0) return undefined
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`
}

interface Unlocking {
  readonly unlock_after_days: number | null
  readonly unlock_at: string | null
}

/** When students may open a lecture. */
export const openingOf: Show<Unlocking> = ({ unlock_after_days: days, unlock_at }, place) => {
  if (days !== null) return `After ${days} ${days === 1 ? 'day' : 'days'}`
  return momentOf(unlock_at, place) ?? 'From the start'
}
