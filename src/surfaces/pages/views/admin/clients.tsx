import { templateOf } from '../../../../domain/clients/assistants.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { MOST_PEOPLE } from '../../../../domain/grants/people-of-app.ts'
import type { ActivityAtSchool } from '../../../../domain/grants/read-activity.ts'
import { Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Checkbox, TextArea } from '../../../../foundation/html/form-fields.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { countUpTo } from '../words.ts'
import { activityInWords } from './activity-words.ts'
import { type AdminFrame, adminPage, clientPath, paths, switchOffPath } from './admin-page.tsx'
import { type FieldVersions, Overwrites } from './both-versions.tsx'

export interface DocumentSettings {
  /** One per line. */
  hosts: string
  openRegistration: boolean
  problems: readonly string[]
  /** Fields of the form itself: what it showed when it was opened. */
  hidden?: Readonly<Record<string, string>>
  /** Fields that another person changed while the form was open. */
  overwrites?: readonly FieldVersions[]
}

export const DOCUMENT_FIELDS = [
  { field: 'document_hosts', label: 'Permitted hosts' },
  { field: 'open_registration', label: 'Open registration' },
] as const

interface ClientsProps extends AdminFrame {
  clients: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
  activity: ReadonlyMap<string, ActivityAtSchool>
  /** How many people have connected at least one app. */
  connectedPeople: number
  settings: DocumentSettings
  /** Hosts that the whole installation permits. */
  alwaysPermitted: readonly string[]
}

/** Which apps and assistants reach the school, for whom, and the ways to stop them. */
export function clientsPage(props: ClientsProps): string {
  const { clients, people, settings, developersShown } = props
  const waiting = clients.filter(isToReview)
  const known = clients.filter((client) => !waiting.includes(client))
  const used = known.filter(({ clientId }) => people.has(clientId))
  const unused = known.filter((client) => !used.includes(client))
  return adminPage({
    ...props,
    title: isRefused(settings) ? 'Error: Apps and assistants' : 'Apps and assistants',
    children: (
      <>
        <PageHead
          title="Apps and assistants"
          lead="What reaches your school on behalf of its people. Open one to see who allowed it, and to end that for one person or for all."
        >
          {developersShown && (
            <div class="actions">
              <ButtonLink look="plain" href={paths.assistants}>
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
              <ButtonLink look="plain" href={paths.stopAll}>
                Stop all apps and assistants…
              </ButtonLink>
            </div>
          </Panel>
        )}
      </>
    ),
  })
}

function isRefused({ problems, overwrites = [] }: DocumentSettings): boolean {
  return problems.length + overwrites.length > 0
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
              <StandingBadges client={client} />
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
export function madeBy({ kind, builtIn, assistant, clientId }: ListedClient): string {
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

export function StandingBadges({ client }: { client: ListedClient }) {
  return (
    <>
      <Badge>{client.assistant === undefined ? KIND_WORDS[client.kind] : 'Assistant'}</Badge>
      {client.kind === 'document' && client.reviewed && <Badge tone="good">Reviewed</Badge>}
      {client.kind === 'document' && !client.reviewed && <Badge tone="warning">Not reviewed</Badge>}
      {client.disabled && <Badge tone="over">Switched off</Badge>}
    </>
  )
}

function Documents({ settings, alwaysPermitted, viewer }: ClientsProps) {
  return (
    <Panel
      title="Hosts of apps that may connect"
      lead="An app can connect only if its host is permitted. It still needs your review."
    >
      <Form
        action={`${paths.clients}/documents`}
        formToken={viewer?.formToken ?? ''}
        hidden={settings.hidden ?? {}}
      >
        <Overwrites fields={settings.overwrites ?? []} />
        <TextArea
          name="document_hosts"
          label="Permitted hosts"
          hint={hostsHint(alwaysPermitted)}
          value={settings.hosts}
          rows={4}
          errors={settings.problems}
        />
        <Checkbox
          id="open_registration"
          name="open_registration"
          value="on"
          label="Apps from any host may connect"
          hint="Then the list above does not matter. Each app can only read until you review it."
          checked={settings.openRegistration}
        />
        <Button look="primary">Save</Button>
      </Form>
    </Panel>
  )
}

function hostsHint(alwaysPermitted: readonly string[]): string {
  const always =
    alwaysPermitted.length === 0 ? '' : ` This server always permits ${alwaysPermitted.join(', ')}.`
  return `One per line, such as app.example.com or *.example.com.${always}`
}
