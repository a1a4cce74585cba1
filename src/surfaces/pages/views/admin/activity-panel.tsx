import { wordsOfKind } from '../../../../domain/grants/count-activity.ts'
import { MOST_PEOPLE } from '../../../../domain/grants/people-of-app.ts'
import {
  ACTIVITY_DAYS,
  type Activity,
  type ActivityAtSchool,
} from '../../../../domain/grants/read-activity.ts'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { capitalized, count, countUpTo } from '../words.ts'

interface ActivityPanelProps {
  found: ActivityAtSchool | undefined
  timeZone: string
}

/** What an app read and changed for all people together, a line for each kind of data. */
export function ActivityPanel({ found, timeZone }: ActivityPanelProps) {
  return (
    <Panel
      title={`What it did in the last ${ACTIVITY_DAYS} days`}
      lead={
        found &&
        `On behalf of ${countUpTo(found.people, 'person', 'people', MOST_PEOPLE)}. The newest minute may be missing.`
      }
    >
      {found === undefined || found.activities.length === 0 ? (
        <Empty>
          <p>
            {found === undefined
              ? `It read and changed nothing in the last ${ACTIVITY_DAYS} days.`
              : 'It was used, but nothing that it read or changed was counted.'}
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {found.activities.map((one) => (
            <li>
              <p class="row-title">{capitalized(wordsOfKind(one.kind))}</p>
              <p class="row-note">
                <Figures one={one} timeZone={timeZone} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Figures({ one, timeZone }: { one: Activity; timeZone: string }) {
  return (
    <>
      {one.lastReadAt !== undefined && (
        <>
          {`Read on ${count(one.readDays, 'day', 'days')}, last `}
          <Moment at={one.lastReadAt} timeZone={timeZone} />.{' '}
        </>
      )}
      {one.lastChangedAt !== undefined && (
        <>
          {`Changed ${one.changes === 1 ? 'once' : count(one.changes, 'time', 'times')}, last `}
          <Moment at={one.lastChangedAt} timeZone={timeZone} />.
        </>
      )}
    </>
  )
}
