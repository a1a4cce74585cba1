import { templateOf } from '../../../../domain/clients/assistants.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { MOST_PEOPLE } from '../../../../domain/grants/people-of-app.ts'
import type { ActivityAtSchool } from '../../../../domain/grants/read-activity.ts'
import {
  Address,
  Alert,
  Button,
  Facts,
  Form,
  Name,
} from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { adminPaths } from '../../frame/paths.ts'
import { countUpTo } from '../../frame/words.ts'
import { isWrong, ObjectForm, type ShownForm } from '../crud/form.tsx'
import { type AdminFrame, adminPage, clientPath, switchOffPath } from '../frame/admin-page.tsx'
import { questionPage } from '../frame/question-page.tsx'
import { settingFields } from '../settings/settings.tsx'
import { activityInWords, PeoplePanel, type PeopleProps, PeopleWithAccess } from './activity.tsx'
import { StatusPanel } from './client-status.tsx'

/** Which documents the school permits. */
export function documentFieldsWith(alwaysPermitted: readonly string[]) {
  const always =
    alwaysPermitted.length === 0 ? '' : ` This server always permits ${alwaysPermitted.join(', ')}.`
  return settingFields(
    {
      name: 'document_hosts',
      label: 'Permitted hosts',
      kind: 'lines',
      rows: 4,
      hint: `One per line, such as app.example.com or *.example.com.${always}`,
    },
    {
      name: 'open_registration',
      label: 'Apps from any host may connect',
      hint: 'Then the list above does not matter. Each app can only read until you review it.',
    },
  )
}

interface ClientsProps extends AdminFrame {
  clients: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
  activity: ReadonlyMap<string, ActivityAtSchool>
  /** How many people have connected at least one app. */
  connectedPeople: number
  /** Which documents the school permits. */
  documents: ShownForm
}

/** Which apps and assistants reach the school, for whom, and the ways to stop them. */
export function clientsPage(props: ClientsProps): string {
  const { clients, people, documents, developersShown } = props
  const waiting = clients.filter(isToReview)
  const known = clients.filter((client) => !waiting.includes(client))
  const used = known.filter(({ clientId }) => people.has(clientId))
  const unused = known.filter((client) => !used.includes(client))
  return adminPage({
    ...props,
    title: isWrong(documents) ? 'Error: Apps and assistants' : 'Apps and assistants',
    children: (
      <>
        <PageHead
          title="Apps and assistants"
          lead="What reaches your school on behalf of its people. Open one to see who allowed it, and to end that for one person or for all."
        >
          {developersShown && (
            <div class="actions">
              <ButtonLink look="plain" href={adminPaths.assistants}>
                Connect an assistant
              </ButtonLink>
            </div>
          )}
        </PageHead>
        {waiting.length > 0 && (
          <Panel
            id="review"
            title="Waiting for your review"
            lead="They published their own description, and an owner or admin allowed them. Until you review an app, it may read but not change anything."
          >
            <ClientRows {...props} clients={waiting} />
          </Panel>
        )}
        <Panel title="In use" lead={used.length > 0 && connectedInWords(props.connectedPeople)}>
          {used.length === 0 ? (
            <Empty>
              <p>No person has let an app or assistant in.</p>
            </Empty>
          ) : (
            <ClientRows {...props} clients={used} />
          )}
        </Panel>
        {unused.length > 0 && (
          <Panel
            title="Not in use"
            lead="They are set up, but have no access at the moment. A platform that this server knows appears after the first person connected it."
          >
            <ClientRows {...props} clients={unused} />
          </Panel>
        )}
        <Documents {...props} />
        {used.length + waiting.length > 0 && (
          <Panel
            title="Stop all"
            tone="danger"
            lead="Ends the access of every app and assistant at once, for all people. They can be allowed again."
          >
            <div class="actions">
              <ButtonLink look="plain" href={adminPaths.stopAll}>
                Stop all apps and assistants…
              </ButtonLink>
            </div>
          </Panel>
        )}
      </>
    ),
  })
}

function connectedInWords(people: number): string {
  return `${countUpTo(people, 'person has', 'people have', Infinity)} let at least one of them in.`
}

function isToReview({ kind, reviewed, disabled }: ListedClient): boolean {
  return kind === 'document' && !reviewed && !disabled
}

interface RowsProps {
  clients: readonly ListedClient[]
  people: ReadonlyMap<string, number>
  activity: ReadonlyMap<string, ActivityAtSchool>
}

function ClientRows(props: RowsProps) {
  return (
    <ul class="rows">
      {props.clients.map((client) => (
        <li>
          <div>
            <p class="row-title">
              <a href={clientPath(client.clientId)}>
                <Name text={client.name} fallback={client.clientId} />
              </a>
              <StatusBadges client={client} />
            </p>
            <p class="row-note">
              {madeBy(client)}
              {' · '}
              {actsFor(client, props.people.get(client.clientId) ?? 0)}
            </p>
            <p class="row-note">{activityInWords(props.activity.get(client.clientId))}</p>
          </div>
          {!client.disabled && (
            <ButtonLink look="plain" href={switchOffPath(client.clientId)}>
              Switch off…<span class="visually-hidden"> {plainText(client.name)}</span>
            </ButtonLink>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Who answers for the app, as far as this server knows. */
function madeBy({ kind, builtIn, assistant, clientId }: ListedClient): string {
  if (builtIn) return 'Part of Schoolgate'
  if (assistant !== undefined) return `${templateOf(assistant).name}, set up by your school`
  if (kind === 'application' || kind === 'tool') return 'Made by your school'
  const host = URL.canParse(clientId) ? new URL(clientId).host : 'its maker'
  return kind === 'vendor' ? 'A platform that this server knows' : `Published by ${host}`
}

function actsFor({ audience }: ListedClient, people: number): string {
  if (people === 0) return audience === 'member' ? 'For members' : 'For owners and admins'
  return audience === 'member'
    ? `For ${countUpTo(people, 'member', 'members', MOST_PEOPLE)}`
    : `For ${countUpTo(people, 'owner or admin', 'owners and admins', MOST_PEOPLE)}`
}

const KIND_WORDS: Readonly<Record<ListedClient['kind'], string>> = {
  application: 'App',
  vendor: 'Platform',
  document: 'App',
  tool: 'Tool',
}

function StatusBadges({ client }: { client: ListedClient }) {
  return (
    <>
      <Badge>{client.assistant === undefined ? KIND_WORDS[client.kind] : 'Assistant'}</Badge>
      {client.kind === 'document' && client.reviewed && <Badge tone="good">Reviewed</Badge>}
      {client.kind === 'document' && !client.reviewed && <Badge tone="warning">Not reviewed</Badge>}
      {client.disabled && <Badge tone="over">Switched off</Badge>}
    </>
  )
}

function Documents(props: ClientsProps) {
  return (
    <Panel
      title="Hosts of apps that may connect"
      lead="An app can connect only if its host is permitted. It still needs your review."
    >
      <ObjectForm
        {...props}
        {...props.documents}
        action={`${adminPaths.clients}/documents`}
        submit="Save"
      />
    </Panel>
  )
}

interface ClientProps extends AdminFrame {
  client: ListedClient
  people: PeopleProps
}

/** A client as this school knows it, and the ways to stop it. */
export function clientPage(props: ClientProps): string {
  const { client, people } = props
  const { clientId, disabled, platformDisabled } = client
  return adminPage({
    ...props,
    title: plainText(client.name) || 'App',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={client.name} fallback={clientId} />}
          up={{ url: adminPaths.clients, label: 'Apps and assistants' }}
        >
          <p class="badges">
            <StatusBadges client={client} />
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <Facts
            rows={[
              ['Who made it', madeBy(client)],
              [
                'Id',
                <>
                  <CopyText id="client-id" what="the id">
                    <Address text={clientId} />
                  </CopyText>
                  <CopyStatus />
                </>,
              ],
              !client.builtIn && [
                isOwn(client) ? 'Created' : 'Known since',
                <Moment at={client.createdAt} timeZone={props.timeZone} />,
              ],
              [
                'Sends people back to',
                client.redirectUris.map((uri, place) => (
                  <span class="line">
                    <CopyText id={`redirect-uri-${place + 1}`} what={`address ${place + 1}`}>
                      <Address text={uri} />
                    </CopyText>
                  </span>
                )),
              ],
            ]}
          />
        </section>
        {client.kind === 'document' &&
          (client.reviewed ? <Reviewed {...props} /> : <Review {...props} />)}
        <PeoplePanel
          {...props}
          clientId={clientId}
          canLoseScopes={!client.builtIn}
          page={people}
          nextUrl={people.next && `${clientPath(clientId)}&after=${people.next}#people`}
        />
        <StatusPanel {...props} {...{ clientId, disabled, platformDisabled }} />
      </>
    ),
  })
}

/**
 * The school made it. The row of any other client is written when it is first allowed or switched
 * off.
 */
function isOwn({ kind }: ListedClient): boolean {
  return kind === 'application' || kind === 'tool'
}

function Review({ client, viewer }: ClientProps) {
  return (
    <Panel title="Review" lead="Until you review it, the app may read but not change anything.">
      <Alert tone="warning" title="The app chose its own name">
        <p>
          Check the addresses above instead. After the review it may ask owners and admins to let it
          change everything that they can change.
        </p>
      </Alert>
      <Form
        action={`${adminPaths.clients}/review`}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: client.clientId }}
      >
        <Button look="primary">Mark as reviewed</Button>
      </Form>
    </Panel>
  )
}

function Reviewed({ client, viewer }: ClientProps) {
  return (
    <Panel
      title="Review"
      lead="It is reviewed, so it may ask owners and admins to let it change things. Without the review it can only read."
    >
      <Form
        action={`${adminPaths.clients}/withdraw-review`}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: client.clientId }}
      >
        <Button look="plain">Withdraw the review</Button>
      </Form>
    </Panel>
  )
}

interface SwitchOffProps extends AdminFrame {
  client: ListedClient
  /** With a live authorization. */
  people: number
  /** The page of the client. */
  back: string
}

/** The question before a client of any kind is switched off at this school. */
export function switchOffPage(props: SwitchOffProps): string {
  const { client, people, back } = props
  const { clientId, name } = client
  return questionPage({
    ...props,
    here: back,
    title: 'Switch off',
    question: (
      <>
        Switch <Name text={name} fallback={clientId} /> off?
      </>
    ),
    back: { url: back, label: 'Back to the app' },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="It stops working for them at once." />
        <p>
          It gets no new authorization and no new tokens at this school. You can switch it on again:
          what people allowed stays, and their tokens work again.
        </p>
      </>
    ),
    form: {
      path: adminPaths.clientStatus,
      hidden: { client: clientId, standing: 'off' },
      button: 'Switch off',
    },
  })
}

interface EndAccessProps extends AdminFrame {
  client: ListedClient
  /** With a live authorization. */
  people: number
  /** The page of the client. */
  back: string
}

export function endAccessPage(props: EndAccessProps): string {
  const { client, people, back } = props
  const { clientId, name } = client
  return questionPage({
    ...props,
    here: back,
    title: 'End all access',
    question: (
      <>
        End all access of <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: 'Back to the app' },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="All its tokens stop working at once." />
        <p>The app may ask people again. To prevent that, switch it off.</p>
      </>
    ),
    form: { path: adminPaths.endAccess, hidden: { client: clientId }, button: 'End all access' },
  })
}
