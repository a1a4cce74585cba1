import type { OutlineLecture } from './outline.ts'

const DAY_MS = 86_400_000

export interface Access {
  readonly enrolledAt: Date
  readonly expiresAt: Date | null
}

export interface Opening {
  readonly isLocked: boolean
  /** When a locked lecture opens by itself; null if it is open, or if waiting will not open it. */
  readonly unlockAt: Date | null
}

const OPEN: Opening = { isLocked: false, unlockAt: null }
const SHUT: Opening = { isLocked: true, unlockAt: null }

/**
 * Whether a member can open a lecture now: previews always; nothing else once access ran out; then
 * the lecture's own date, or its days since the enrollment. A date beyond the end of access is none.
 */
export function openingOf(
  lecture: Pick<OutlineLecture, 'isPreview' | 'unlockAfterDays' | 'unlockAt'>,
  { enrolledAt, expiresAt }: Access,
  now: Date,
): Opening {
  if (lecture.isPreview) return OPEN
  if (expiresAt !== null && expiresAt <= now) return SHUT
  const opensAt =
    lecture.unlockAfterDays === null
      ? lecture.unlockAt
      : new Date(enrolledAt.getTime() + lecture.unlockAfterDays * DAY_MS)
  if (opensAt === null || opensAt <= now) return OPEN
  if (expiresAt !== null && expiresAt <= opensAt) return SHUT
  return { isLocked: true, unlockAt: opensAt }
}
