import { wordsOfKind } from '../../../../domain/grants/count-activity.ts'
import { MOST_PEOPLE, type PersonOfApp } from '../../../../domain/grants/people-of-app.ts'
import {
  ACTIVITY_DAYS,
  type Activity,
  type ActivityAtSchool,
} from '../../../../domain/grants/read-activity.ts'
import { Button, Email, Form, Name } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { ButtonLink, Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { adminPaths } from '../../frame/paths.ts'
import { capitalized, count, countUpTo } from '../../frame/words.ts'
import { type AdminFrame, endAccessPath } from '../frame/admin-page.tsx'

interface ActivityPanelProps {
  found: ActivityAtSchool | undefined
  timeZone: string
}

/** What an app read and changed for all people together, a line for each kind of data. */
function ActivityPanel({ found, timeZone }: ActivityPanelProps) {
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

const KINDS_SHOWN = 3

/**
 * What an app did lately, in one sentence: "In the last 30 days it read courses, and changed
 * coupons 3 times".
 */
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

export interface PeopleProps {
  people: readonly PersonOfApp[]
  /** Where the next page starts. */
  next: string | undefined
  /** What the app did for all people. */
  activity?: ActivityAtSchool | undefined
}

interface PeoplePanelProps extends AdminFrame {
  clientId: string
  page: PeopleProps
  /** False for the explorer, whose scopes are fixed. */
  canLoseScopes?: boolean
  /** The address of the next page, if there is one. */
  nextUrl: string | undefined
}

/** Before an app is stopped: how many people have a live authorization, and what they lose. */
export function PeopleWithAccess({ people, loss }: { people: number; loss: string }) {
  if (people === 0) return <p>No person has given it access at the moment.</p>
  const many = countUpTo(people, 'person has', 'people have', MOST_PEOPLE)
  return <p>{`${many} given it access. ${loss}`}</p>
}

/**
 * What an app did, and the people who connected it, with buttons that end the access of one or of
 * all.
 */
export function PeoplePanel(props: PeoplePanelProps) {
  const { page, clientId, canLoseScopes = true, nextUrl, timeZone } = props
  return (
    <>
      <ActivityPanel found={page.activity} timeZone={timeZone} />
      <Panel id="people" title="People" lead="People who gave this app access.">
        {page.people.length === 0 ? (
          <Empty>
            <p>No people at the moment.</p>
          </Empty>
        ) : (
          <ul class="rows">
            {page.people.map((person) => (
              <li>
                <div>
                  <p class="row-title">
                    <Name text={person.name} fallback={person.email} />
                  </p>
                  <p class="row-note">
                    <Email text={person.email} />
                    {' · '}
                    {count(person.authorizations, 'device', 'devices')}
                    {' · '}
                    {person.lastUsedAt === undefined ? (
                      <>
                        allowed <Moment at={person.lastAuthorizedAt} timeZone={timeZone} />, not
                        used yet
                      </>
                    ) : (
                      <>
                        last used around <Moment at={person.lastUsedAt} timeZone={timeZone} />
                      </>
                    )}
                  </p>
                </div>
                <Form
                  action={`${adminPaths.clients}/end`}
                  formToken={props.viewer?.formToken ?? ''}
                  hidden={{ client: clientId, person: person.id }}
                >
                  <Button look="plain">
                    End
                    <span class="visually-hidden"> the access for {plainText(person.name)}</span>
                  </Button>
                </Form>
              </li>
            ))}
          </ul>
        )}
        {nextUrl !== undefined && (
          <p>
            <a href={nextUrl}>More people</a>
          </p>
        )}
        {canLoseScopes && page.people.length > 0 && (
          <p class="row-note">
            What you no longer let the app do ends after two hours at the latest.
          </p>
        )}
        {page.people.length > 0 && (
          <div class="actions">
            <ButtonLink look="plain" href={endAccessPath(clientId)}>
              End all access…
            </ButtonLink>
          </div>
        )}
      </Panel>
    </>
  )
}
