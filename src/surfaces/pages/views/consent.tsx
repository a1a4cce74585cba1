import type { ComponentChildren } from 'preact'
import type { Behind } from '../../../domain/catalogue/scope-counts.ts'
import type { ClientKind } from '../../../domain/clients/client.ts'
import { type Audience, isChange } from '../../../domain/clients/scope-catalogue.ts'
import type { SchoolVariant } from '../../../domain/schools/school.ts'
import {
  Address,
  Alert,
  AppTile,
  Button,
  Card,
  DefinitionList,
  Form,
  Name,
  Tile,
} from '../../../foundation/html/components.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import { type Person, SignedInAs, type SwitchAccount } from './person.tsx'
import { ScopeList } from './scope-list.tsx'

export interface AskingClient {
  name: string
  /** Created in the admin area for members, a platform that the server knows, a metadata document, or the school's tool. */
  kind: ClientKind
  /** The host of its metadata document. */
  host?: string | undefined
  redirectHost: string
  reviewed: boolean
  /** This request redirects to the person's own device, where any program may listen. */
  onOwnDevice: boolean
  websiteUrl?: string | undefined
  privacyUrl?: string | undefined
  logoUrl?: string | undefined
}

interface ConsentProps {
  school: Branding
  client: AskingClient
  person: Person
  audience: Audience
  variant: SchoolVariant
  scopes: readonly string[]
  behind: ReadonlyMap<string, readonly Behind[]>
  /** Days without use after which the access ends by itself. */
  idleDays: number
  action: string
  formToken: string
  /** The pending authorization. */
  sealedRequest: string
  switchAccount: SwitchAccount
}

const nameless = 'An app without a name'

export function consentPage(props: ConsentProps): string {
  const { school, client, person, formToken } = props
  return renderPage(
    <Layout title={`${plainText(client.name, 50) || nameless} asks for access`} school={school}>
      <Card>
        <Logos client={client} school={school} />
        <Question {...props} />
        <SignedInAs person={person} formToken={formToken} switchAccount={props.switchAccount} />
        <Provenance client={client} school={school} />
        <ScopeList scopes={props.scopes} variant={props.variant} behind={props.behind} />
        <p class="terms">
          This lasts until you end it under <a href="/account/apps">Connected apps</a>, or until the
          app has not used it for {props.idleDays} days.
        </p>
        <Form
          class="decision"
          action={props.action}
          formToken={formToken}
          hidden={{ request: props.sealedRequest }}
        >
          <Button look="choice" name="decision" value="deny">
            Deny
          </Button>
          <Button look="choice" name="decision" value="allow">
            Allow
          </Button>
        </Form>
        {client.kind !== 'document' && (
          <p class="aside">
            Either way you go back to <Address text={client.redirectHost} />
          </p>
        )}
      </Card>
    </Layout>,
  )
}

function Logos({ client, school }: { client: AskingClient; school: Branding }) {
  return (
    <div class="logos" aria-hidden="true">
      <AppTile name={client.name} logoUrl={client.logoUrl} />
      <span class="logos-line" />
      {school.logoUrl === undefined ? (
        <Tile name={school.name} tone="brand" />
      ) : (
        <img class="logo" src={school.logoUrl} alt="" height={48} />
      )}
    </div>
  )
}

function Question({ client, school, audience, scopes }: ConsentProps) {
  const asking = <Name text={client.name} fallback={nameless} />
  const place = <Name text={school.name} fallback="this school" />
  if (audience === 'member') {
    return (
      <h1 class="question">
        {asking} wants to use your account at {place}
      </h1>
    )
  }
  return scopes.some(isChange) ? (
    <h1 class="question">
      {asking} wants to manage {place} on your behalf
    </h1>
  ) : (
    <h1 class="question">
      {asking} wants to see data of {place}
    </h1>
  )
}

function Provenance({ client, school }: { client: AskingClient; school: Branding }) {
  const place = <Name text={school.name} fallback="this school" />
  const document = client.kind === 'document' && (
    <DefinitionList
      rows={[
        ['Published at', <Address text={client.host ?? 'unknown'} />],
        ['Sends you back to', <Address text={client.redirectHost} />],
        ...(client.reviewed ? [['Reviewed by', place] as const] : []),
        ...linkRows(client),
      ]}
    />
  )
  const loopback = client.onOwnDevice && (
    <p>
      It runs on your own device, where another program could pretend to be this app. If you did not
      just start it yourself, choose Deny.
    </p>
  )
  if (document && !client.reviewed) {
    return (
      <Alert
        tone="warning"
        title={
          <>
            Not reviewed by <Name text={school.name} fallback="this school" />
          </>
        }
      >
        <p>The app chose its own name. Check its addresses instead:</p>
        {document}
        {loopback}
      </Alert>
    )
  }
  return (
    <>
      {document}
      {client.kind !== 'document' && (
        <DefinitionList rows={[answersFor(client, place), ...linkRows(client)]} />
      )}
      {loopback && (
        <Alert tone="warning" title="Did you just start this app?">
          {loopback}
        </Alert>
      )}
    </>
  )
}

type Row = readonly [string, ComponentChildren]

/** Who answers for an app that has no document of its own. */
function answersFor(client: AskingClient, place: ComponentChildren): Row {
  if (client.kind === 'tool') return ['Made by', place]
  if (client.kind === 'vendor') return ['Known to', 'the administrator of this server']
  return ['Added by', place]
}

function linkRows({ websiteUrl, privacyUrl }: AskingClient): Row[] {
  const links = [
    ['Website', websiteUrl],
    ['Privacy', privacyUrl],
  ] as const
  return links.flatMap(([label, url]) => {
    const host = url === undefined ? undefined : parseUrl(url)?.host
    if (host === undefined) return []
    const link = (
      <a href={url} rel="noreferrer noopener">
        <Address text={host} />
      </a>
    )
    return [[label, link] as const]
  })
}
