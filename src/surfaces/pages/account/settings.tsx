import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import { offeredAssistants } from '../../../domain/clients/assistants.ts'
import { connectedApps } from '../../../domain/grants/connected-apps.ts'
import { findDeletions } from '../../../domain/people/deletion/deletion-requests.ts'
import { hasSecondFactor } from '../../../domain/people/factors/authenticators.ts'
import { findRemoval } from '../../../domain/people/factors/lost-factors.ts'
import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import { schoolsOfPerson } from '../../../domain/people/membership.ts'
import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import { passkeysOf } from '../../../domain/people/passkeys/passkeys.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Avatar, Email, Name } from '../../../foundation/html/components.tsx'
import { Badge, ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import type { SiteFrame } from '../frame/layout.tsx'
import { memberPage } from '../frame/member-page.tsx'
import { DeletionNotice, type Person, type WaitingDeletion } from '../frame/parts.tsx'
import { offerPasskey, PasskeyMaker } from '../frame/passkey-maker.tsx'
import { PASSKEY_SCRIPT } from '../frame/passkey-parts.tsx'
import { CALENDAR_PATH, factorPaths, NOTIFICATIONS_PATH, PASSKEYS_PATH } from '../frame/paths.ts'
import { signedInVisit } from '../frame/visit.ts'
import { capitalized, count } from '../frame/words.ts'
import { LostFactorNotice } from '../sign-in/lost-factor.tsx'

const NOTICES = {
  password: 'Your password was changed, and you were signed out everywhere else.',
  'password-everywhere':
    'Your password was changed. You were signed out everywhere else, and all apps were disconnected.',
  passkey: 'Your passkey is ready. You can sign in with it from now on.',
  deletion: 'We have noted it. You can change your mind until the day below.',
  kept: 'Nothing will be deleted.',
  'nothing-to-keep': { warning: 'There was nothing to cancel.' },
}

/** A person with more has so many apps that their number says nothing. */
const COUNTED_AUTHORIZATIONS = 20

export function addSettingsRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(SETTINGS_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const { person, roles } = session
    const [{ apps, next }, schools, offered, passkeys, hasFactor, waiting, removalDueAt] =
      await Promise.all([
        connectedApps(request.schoolDb, person.id, { limit: COUNTED_AUTHORIZATIONS }),
        schoolsOfPerson(acrossSchools(request.schoolDb), person.id),
        offeredAssistants(request.schoolDb),
        passkeysOf(request.schoolDb, person.id),
        hasSecondFactor(acrossSchools(request.schoolDb), person.id),
        findDeletions(request.schoolDb, person.id),
        findRemoval(acrossSchools(request.schoolDb), person.id),
      ])
    const frame = visit.frame(NOTICES)
    const page = accountSettingsPage({
      ...frame,
      person: { ...person, avatarUrl: pictureUrl(person.avatarUrl, '') },
      roles,
      waitingDeletions: waiting,
      removalDueAt,
      timeZone: request.school.timeZone,
      appCount: next === undefined ? apps.length : undefined,
      assistants: offered.map(({ name }) => name),
      assistantsCanBeOffered: request.school.mcpConnections,
      hasSecondFactor: hasFactor,
      otherSchools: schools
        .filter(({ id }) => id !== request.school.id)
        .map(({ name, origin }) => ({ name, url: origin })),
      passkeys: await offerPasskey(visit, passkeys, frame),
    })
    return visit.scriptedPage(PASSKEY_SCRIPT, page)
  })
}

interface AccountSettingsProps extends SiteFrame {
  person: Person
  roles: readonly string[]
  /** Undefined for more than are counted. */
  appCount: number | undefined
  /** The names of those that the school offers. */
  assistants: readonly string[]
  /** Whether the school has the feature at all; without it the page promises nothing. */
  assistantsCanBeOffered: boolean
  hasSecondFactor: boolean
  otherSchools: readonly { name: string; url: string }[]
  /**
   * With a question to the device, which may make the first one, while the last proof is recent.
   */
  passkeys: { count: number; question: PasskeyQuestion | undefined; silent: boolean }
  waitingDeletions: readonly WaitingDeletion[]
  /** Of passkeys and the authenticator app that were reported as lost. */
  removalDueAt: Date | undefined
  timeZone: string
}

export function accountSettingsPage(props: AccountSettingsProps): string {
  const { person, roles, appCount, assistants, otherSchools } = props
  const here = <Name text={props.school.name} fallback="this school" />
  return memberPage({
    ...props,
    title: 'Account settings',
    script: PASSKEY_SCRIPT,
    children: (
      <>
        <PageHead title="Account settings" />
        <LostFactorNotice dueAt={props.removalDueAt} timeZone={props.timeZone} />
        <DeletionNotice
          waiting={props.waitingDeletions}
          formToken={props.viewer?.formToken ?? ''}
          timeZone={props.timeZone}
        />
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
                <Badge>{capitalized(role)}</Badge>
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
          {roles.length > 0 && (
            <Panel
              title="Notifications"
              lead="What this school tells you, by email and in your inbox."
            >
              <div class="actions">
                <ButtonLink look="plain" href={NOTIFICATIONS_PATH}>
                  Choose notifications
                </ButtonLink>
              </div>
            </Panel>
          )}
          {roles.length > 0 && (
            <Panel title="Calendar" lead="Your bookings and events in your own calendar.">
              <div class="actions">
                <ButtonLink look="plain" href={CALENDAR_PATH}>
                  Show them there
                </ButtonLink>
              </div>
            </Panel>
          )}
          <Panel
            title="Name and picture"
            lead="The same at all your schools. Apps that you allow see them."
          >
            <div class="actions">
              <ButtonLink look="plain" href="/account/profile">
                Change name or picture
              </ButtonLink>
            </div>
          </Panel>
          <Panel title="Email" lead="One address for all your schools on this server.">
            <div class="actions">
              <ButtonLink look="plain" href="/account/email">
                Change email address
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
          <PasskeysPanel {...props} />
          <Panel
            title="Second factor"
            lead={
              props.hasSecondFactor
                ? 'On: with your password you type a code from your authenticator app.'
                : 'Off: anyone who learns your password can sign in as you.'
            }
          >
            <div class="actions">
              <ButtonLink look="plain" href={factorPaths.page}>
                {props.hasSecondFactor ? 'Manage it' : 'Set it up'}
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
          <Panel
            title="Your data"
            lead="Get a copy of all that this school holds about you, or have it deleted."
          >
            <div class="actions">
              <ButtonLink look="plain" href="/account/data">
                Get a copy
              </ButtonLink>
              <ButtonLink look="plain" href="/account/delete">
                Delete your account
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

function PasskeysPanel({ passkeys, viewer }: AccountSettingsProps) {
  const { count: many, question, silent } = passkeys
  const lead =
    many === 0
      ? 'Sign in with your fingerprint, your face or the PIN of your device, without a password.'
      : `You have ${count(many, 'passkey', 'passkeys')} for this school.`
  return (
    <Panel title="Passkeys" lead={lead}>
      {many === 0 && question !== undefined && (
        <PasskeyMaker
          formToken={viewer?.formToken ?? ''}
          question={question}
          from="settings"
          silent={silent}
        />
      )}
      <div class="actions">
        <ButtonLink look="plain" href={PASSKEYS_PATH}>
          {many === 0 ? 'About passkeys' : 'Manage passkeys'}
        </ButtonLink>
      </div>
    </Panel>
  )
}

function offerOf(names: readonly string[]): ComponentChildren {
  const [first, second, ...others] = names.map((name) => <bdi>{plainText(name)}</bdi>)
  if (first === undefined) return 'This school offers no assistant yet.'
  return (
    <>
      You can look up your account here with {first}
      {second !== undefined && (
        <>
          {others.length === 0 ? ' and ' : ', '}
          {second}
        </>
      )}
      {others.length > 0 && ' and others'}.
    </>
  )
}
