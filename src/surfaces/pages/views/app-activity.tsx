import { wordsOfKind } from '../../../domain/grants/count-activity.ts'
import { ACTIVITY_DAYS, type Activity } from '../../../domain/grants/read-activity.ts'
import { Moment } from '../../../foundation/html/moment.tsx'

interface ActivityListProps {
  activities: readonly Activity[]
  /** Whether the data is the viewer's own. */
  isOwn: boolean
  /** Whether the app was used, or told who they are, since the person allowed it. Of access that ended before, the purge leaves no mark. */
  wasUsed: boolean
  timeZone: string
}

/** What an app read and changed lately, a line for each kind of data. */
export function ActivityList({ activities, isOwn, wasUsed, timeZone }: ActivityListProps) {
  return (
    <section class="app-activity">
      <h3>In the last {ACTIVITY_DAYS} days</h3>
      {activities.length === 0 ? (
        <p class="row-note">
          {wasUsed
            ? 'There is no record that it read or changed anything. New use appears here within a minute or two.'
            : 'It has read and changed nothing since you allowed it.'}
        </p>
      ) : (
        <ul>
          {activities.map((one) => (
            <Line
              one={one}
              whose={isOwn || one.kind === 'profile' ? 'your ' : ''}
              timeZone={timeZone}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function Line({ one, whose, timeZone }: { one: Activity; whose: string; timeZone: string }) {
  const what = whose + wordsOfKind(one.kind)
  return (
    <li>
      {one.lastReadAt !== undefined && (
        <>
          Read {what} on {one.readDays === 1 ? '1 day' : `${one.readDays} days`}, last{' '}
          <Moment at={one.lastReadAt} timeZone={timeZone} />
        </>
      )}
      {one.lastReadAt !== undefined && one.lastChangedAt !== undefined && '; '}
      {one.lastChangedAt !== undefined && (
        <>
          {one.lastReadAt === undefined ? `Changed ${what}` : 'changed them'}{' '}
          {one.changes === 1 ? 'once' : `${one.changes} times`}, last{' '}
          <Moment at={one.lastChangedAt} timeZone={timeZone} />
        </>
      )}
    </li>
  )
}
