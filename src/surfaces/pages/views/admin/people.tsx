import { MOST_PEOPLE, type PersonOfApp } from '../../../../domain/grants/people-of-app.ts'
import type { ActivityAtSchool } from '../../../../domain/grants/read-activity.ts'
import { Button, Email, Form, Name } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { ButtonLink, Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { count, countUpTo } from '../words.ts'
import { ActivityPanel } from './activity-panel.tsx'
import { type AdminFrame, endAccessPath, paths } from './admin-page.tsx'

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

/** What an app did, and the people who connected it, with buttons that end the access of one or of all. */
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
                  action={`${paths.clients}/end`}
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
