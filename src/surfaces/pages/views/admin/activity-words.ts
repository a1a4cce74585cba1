import { wordsOfKind } from '../../../../domain/grants/count-activity.ts'
import {
  ACTIVITY_DAYS,
  type Activity,
  type ActivityAtSchool,
} from '../../../../domain/grants/read-activity.ts'
import { count } from '../words.ts'

const KINDS_SHOWN = 3

/** What an app did lately, in one sentence: "In the last 30 days it read courses, and changed coupons 3 times". */
export function activityInWords(found: ActivityAtSchool | undefined): string {
  const activities = found?.activities ?? []
  const read = activities.filter(({ lastReadAt }) => lastReadAt !== undefined)
  const changed = activities.filter(({ changes }) => changes > 0)
  if (read.length + changed.length === 0) {
    return found === undefined
      ? `Read and changed nothing in the last ${ACTIVITY_DAYS} days`
      : `Used in the last ${ACTIVITY_DAYS} days, but nothing that it read or changed was counted`
  }
  const acts = [
    ...(read.length === 0 ? [] : [`read ${listed(read.map(({ kind }) => wordsOfKind(kind)))}`]),
    ...(changed.length === 0 ? [] : [`changed ${listed(changed.map(changesOf))}`]),
  ]
  return `In the last ${ACTIVITY_DAYS} days it ${acts.join(', and ')}`
}

function changesOf({ kind, changes }: Activity): string {
  return `${wordsOfKind(kind)} ${changes === 1 ? 'once' : count(changes, 'time', 'times')}`
}

/** "a, b and c"; of many, the first, and how many more. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, names.length > KINDS_SHOWN + 1 ? KINDS_SHOWN : names.length)
  const more = names.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more kinds of data`
  return [shown.slice(0, -1).join(', '), shown.at(-1)].filter(Boolean).join(' and ')
}
