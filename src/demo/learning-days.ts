import { personId } from './people.ts'
import type { Stage } from './stage.ts'
import { varietyOf } from './variety.ts'

const DAYS_BACK = 90

/** Days on which the member learned: those with progress, and others without recorded progress. */
export function addLearningDays(
  stage: Stage,
  who: string,
  withProgress: ReadonlySet<number>,
): void {
  const { school, schoolId, clock, rows } = stage
  const variety = varietyOf(`${school.key}/learning/${who}`)
  const zeal = who === 'ada' ? 0.6 : variety.integer(5, 45) / 100
  for (let daysAgo = 0; daysAgo <= DAYS_BACK; daysAgo++) {
    // Draw a random number for every day, so that a change of progress does not change later draws.
    const learned = variety.chance(zeal)
    if (!learned && !withProgress.has(daysAgo)) continue
    const day = clock.day(-daysAgo)
    rows.add('learning_days', { school_id: schoolId, day, user_id: personId(who) })
  }
}
