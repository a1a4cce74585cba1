import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { MOST_PEOPLE } from '../../../../domain/grants/people-of-app.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Checkbox, TextArea } from '../../../../foundation/html/form-fields.tsx'
import { Badge, Empty, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, clientPath, paths } from './admin-page.tsx'
import { KindBadges } from './applications.tsx'

export interface DocumentSettings {
  /** One per line. */
  hosts: string
  openRegistration: boolean
  problems: readonly string[]
}

interface ClientsProps extends AdminFrame {
  clients: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
  settings: DocumentSettings
  /** Hosts that the whole installation permits. */
  alwaysPermitted: readonly string[]
}

export function clientsPage(props: ClientsProps): string {
  const { clients, people, settings } = props
  const waiting = clients.filter(({ kind, reviewed }) => kind === 'document' && !reviewed)
  const applications = clients.filter(({ kind }) => kind === 'application')
  const others = clients.filter((each) => !waiting.includes(each) && !applications.includes(each))
  return adminPage({
    ...props,
    title: settings.problems.length > 0 ? 'Error: Connected apps' : 'Connected apps',
    children: (
      <>
        <PageHead
          title="Connected apps"
          lead="Apps that people connected here, and those of your school. A platform that this server knows appears after the first person connected it. Open one to see who allowed it, to end that, or to switch the app off."
        />
        <Panel
          title="Awaiting review"
          lead="Apps that published a metadata document, and that an owner or admin allowed. Until you review an app, it may ask to see data but not to change it."
        >
          <ClientRows clients={waiting} people={people} none="Nothing to review." />
        </Panel>
        <Panel
          title="Platforms, reviewed apps and tools of your school"
          lead="They act for owners and admins."
        >
          <ClientRows clients={others} people={people} none="None yet." />
        </Panel>
        <Panel title="Applications" lead="They act for members, each for themselves.">
          <ClientRows clients={applications} people={people} none="None yet." />
        </Panel>
        <Documents {...props} />
      </>
    ),
  })
}

function ClientRows(props: {
  clients: readonly ListedClient[]
  people: ReadonlyMap<string, number>
  none: string
}) {
  if (props.clients.length === 0) return <Empty>{props.none}</Empty>
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
              <Address text={client.clientId} />
            </p>
          </div>
          <p class="row-note">
            {countUpTo(props.people.get(client.clientId) ?? 0, 'person', 'people', MOST_PEOPLE)}
          </p>
        </li>
      ))}
    </ul>
  )
}

const KIND_WORDS: Readonly<Record<ListedClient['kind'], string>> = {
  application: 'Application',
  vendor: 'Platform',
  document: 'Document',
  tool: 'Your school’s tool',
}

export function StandingBadges({ client }: { client: ListedClient }) {
  return (
    <>
      <Badge>{KIND_WORDS[client.kind]}</Badge>
      {client.kind === 'application' && <KindBadges client={client} />}
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
      <Form action={`${paths.clients}/documents`} formToken={viewer?.formToken ?? ''}>
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
          label="Open registration"
          hint="Accepts client metadata from any host on the internet."
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
