import { Avatar, Email, Name } from '../../../foundation/html/components.tsx'
import { Badge, ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import type { Person } from './person.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { count } from './words.ts'

interface AccountProps extends SiteFrame {
  person: Person
  roles: readonly string[]
  /** Undefined for more than are counted. */
  appCount: number | undefined
  otherSchools: readonly { name: string; url: string }[]
}

export function accountPage(props: AccountProps): string {
  const { person, roles, appCount, otherSchools } = props
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
          <Panel title="Password" lead="One password for all your schools on this server.">
            <div class="actions">
              <ButtonLink look="plain" href="/account/password">
                Change password
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
