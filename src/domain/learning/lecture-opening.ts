import type { OutlineLecture } from './outline.ts'

const DAY_MS = 86_400_000

export interface Access {
  readonly enrolledAt: Date
  readonly expiresAt: Date | null
}

export interface Opening {
  readonly isLocked: boolean
  /** When a locked lecture opens; null if it is open, or if it will never open. */
  readonly unlockAt: Date | null
}

const OPEN: Opening = { isLocked: false, unlockAt: null }
const SHUT: Opening = { isLocked: true, unlockAt: null }

/**
 * Whether a viewer can open a lecture now. Previews are always open; without access, or after its end, nothing
 * else is. Other lectures open at their own date, or some days after the enrollment. A date after the
 * end of access counts as never.
 */
export function openingOf(
  lecture: Pick<OutlineLecture, 'isPreview' | 'unlockAfterDays' | 'unlockAt'>,
  access: Access | undefined,
  now: Date,
): Opening {
  if (lecture.isPreview) return OPEN
  if (access === undefined) return SHUT
  const { enrolledAt, expiresAt } = access
  if (expiresAt !== null && expiresAt <= now) return SHUT
  const opensAt =
    lecture.unlockAfterDays === null
      ? lecture.unlockAt
      : new Date(enrolledAt.getTime() + lecture.unlockAfterDays * DAY_MS)
  if (opensAt === null || opensAt <= now) return OPEN
  if (expiresAt !== null && expiresAt <= opensAt) return SHUT
  return { isLocked: true, unlockAt: opensAt }
}
