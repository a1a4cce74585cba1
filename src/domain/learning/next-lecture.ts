import type { LectureState } from './progress.ts'

interface Step {
  readonly id: string
  readonly state: LectureState
  readonly isLocked: boolean
}

/**
 * The lecture with which a member continues: the last watched one if it is unfinished, else the first
 * open and unfinished one after it, else the first such one of the course. Undefined if there is none.
 */
export function nextLecture<L extends Step>(
  lectures: readonly L[],
  lastWatchedId: string | undefined,
): L | undefined {
  const last = lectures.findIndex(({ id }) => id === lastWatchedId)
  const isOpen = ({ state, isLocked }: Step): boolean => state !== 'completed' && !isLocked
  return lectures.slice(Math.max(last, 0)).find(isOpen) ?? lectures.find(isOpen)
}
