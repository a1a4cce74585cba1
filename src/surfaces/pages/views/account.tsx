import { Avatar, Email, Name } from '../../../foundation/html/components.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { Badge, ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import type { Person } from './person.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { count } from './words.ts'

interface AccountProps extends SiteFrame {
  person: Person
  roles: readonly string[]
  /** Undefined for more than are counted. */
  appCount: number | undefined
  /** The names of those that the school offers. */
  assistants: readonly string[]
  /** Whether the school has the feature at all; without it the page promises nothing. */
  assistantsCanBeOffered: boolean
  otherSchools: readonly { name: string; url: string }[]
}

export function accountPage(props: AccountProps): string {
  const { person, roles, appCount, assistants, otherSchools } = props
  const here = <Name text={props.school.name} fallback="this school" />
  return sitePage({
    ...props,
    title: 'Your account',
    children: (
      <>
        <PageHead title="Your account" />
        <section class="panel" aria-label="You">
          <div class="app-head">
            <Avatar name={person.name || person.email} url={person.avatarUrl} />
            <p>
              <Name text={person.name} fallback="You" />
              <span class="email">
                <Email text={person.email} />
              </span>
            </p>
          </div>
          {roles.length === 0 ? (
            <p>You have no role at {here}, so you cannot connect apps to it.</p>
          ) : (
            <p class="badges">
              <span class="visually-hidden">Your roles here: </span>
              {roles.map((role) => (
                <Badge>{role}</Badge>
              ))}
            </p>
          )}
        </section>
        <div class="two">
          <Panel
            title="Connected apps"
            lead={
              appCount === 0
                ? 'No app has access to your account here.'
                : `${appCount === undefined ? 'Apps have' : count(appCount, 'app has', 'apps have')} access to your account here.`
            }
          >
            <div class="actions">
              <ButtonLink look="plain" href="/account/apps">
                See connected apps
              </ButtonLink>
            </div>
          </Panel>
          {roles.length > 0 && (assistants.length > 0 || props.assistantsCanBeOffered) && (
            <Panel title="Use with an assistant" lead={offerOf(assistants)}>
              <div class="actions">
                <ButtonLink look="plain" href="/account/assistants">
                  {assistants.length === 0 ? 'What you can do' : 'Show the steps'}
                </ButtonLink>
              </div>
            </Panel>
          )}
          <Panel title="Password" lead="One password for all your schools on this server.">
            <div class="actions">
              <ButtonLink look="plain" href="/account/password">
                Change password
              </ButtonLink>
            </div>
          </Panel>
          <Panel title="Signed-in browsers" lead="See where you are signed in, and sign out there.">
            <div class="actions">
              <ButtonLink look="plain" href="/account/sessions">
                See signed-in browsers
              </ButtonLink>
            </div>
          </Panel>
          <Panel title="History" lead="What you allowed, ended and changed at this school.">
            <div class="actions">
              <ButtonLink look="plain" href="/account/history">
                See history
              </ButtonLink>
            </div>
          </Panel>
        </div>
        {otherSchools.length > 0 && (
          <Panel title="Your other schools">
            <ul class="places">
              {otherSchools.map(({ name, url }) => (
                <li>
                  <a href={url}>
                    <Name text={name} fallback={url} />
                  </a>
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </>
    ),
  })
}

function offerOf(names: readonly string[]): string {
  const [first, second, ...others] = names.map((name) => plainText(name))
  if (first === undefined) return 'This school offers no assistant yet.'
  const few = second === undefined ? first : `${first} and ${second}`
  const listed = others.length === 0 ? few : `${first}, ${second} and others`
  return `You can look up your account here with ${listed}.`
}
