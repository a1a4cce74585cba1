import { lengthInWords } from '../../../views/length.ts'
import type { Show } from '../row.ts'
import { momentOf } from '../views/cells.tsx'

export function durationOf({ duration_seconds: seconds }: { readonly duration_seconds: number }) {
  return lengthInWords(seconds)
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
