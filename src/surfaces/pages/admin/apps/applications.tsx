import type { FastifyInstance } from 'fastify'
import {
  changeApplication,
  createApplication,
  deleteApplication,
  endOldSecret,
  rotateSecret,
} from '../../../../domain/clients/application-operations.ts'
import { templateOf } from '../../../../domain/clients/assistants.ts'
import { findListedClient, type ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Facts } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, Panel } from '../../../../foundation/html/site-components.tsx'
import { DOCUMENTS, ENDPOINTS } from '../../../../foundation/protocol/endpoints.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import { applicationFields, applicationRow, newApplicationFields } from './application-fields.ts'
import { addLogoRoutes, LogoPanel } from './application-logo.tsx'
import { STATUS_NOTICES } from './clients.ts'
import {
  addOwnClientRoutes,
  ClientId,
  enterToChange,
  type FactRows,
  type OwnClients,
  routeOf,
} from './own-clients.tsx'
import {
  carrySecret,
  endOldSecretPage,
  renewSecretPage,
  SecretPanel,
  secretPage,
  takeSecret,
} from './secret.tsx'

const SCOPES_AT_FIRST = ['openid', 'profile', 'email', 'account:read']

/** Developers, OAuth applications: the member clients of a school. */
export const applications: OwnClients = {
  kind: 'application',
  path: adminPaths.applications,
  title: 'OAuth applications',
  lead: 'Apps that members of your school can connect to their own account.',
  newLead: 'For one app. Every member of your school can connect it to their own account.',
  empty: 'Create one, and give its client_id to the developer of the app.',
  links: [{ url: adminPaths.assistants, label: 'Connect an assistant' }],
  create: createApplication,
  change: changeApplication,
  remove: deleteApplication,
  newFields: newApplicationFields,
  fields: applicationFields,
  startsAs: { scopes: SCOPES_AT_FIRST },
  rowOf: applicationRow,
  by: 'client_id',
  keyOf: ({ clientId }) => clientId,
  async find({ request }, clientId) {
    const found = await findListedClient(request.schoolDb, clientId)
    return found?.kind === 'application' ? found : undefined
  },
  afterCreate(visit, output) {
    const { client_id: clientId, client_secret: secret } = createApplication.output.parse(output)
    if (secret === null) return `${applicationPath(clientId)}?done=created`
    carrySecret(visit, clientId, { secret, rotated: false })
    return applicationPath(clientId, '/secret')
  },
  listNotices: { deleted: 'The application is deleted, and its access has ended.' },
  notices: {
    ...STATUS_NOTICES,
    created: 'The application is ready. Give its client_id to the developer of the app.',
    connected:
      'Connected. Members find it, with the steps, at “Use with an assistant” in their account.',
    saved: 'Saved. New authorizations and refreshes follow it.',
    'no-secret': { warning: 'A public application has no secret.' },
    'old-secret-ended': 'Ended. The app can use only the newest secret.',
    logo: 'The logo was changed.',
    'no-logo': 'The logo was removed.',
    'secret-shown': { warning: 'A secret is shown once. If you did not copy it, renew it.' },
  },
  badges: ({ confidential, builtIn, assistant }) => (
    <>
      <Badge>{confidential ? 'Confidential' : 'Public'}</Badge>
      {builtIn && <Badge>Built in</Badge>}
      {assistant !== undefined && <Badge>Assistant</Badge>}
    </>
  ),
  facts: factsOf,
  listPanel: (origin) => <Addresses origin={origin} />,
  panels: (props) => (
    <>
      {!props.client.builtIn && <LogoPanel {...props.client} />}
      {props.client.confidential && <SecretPanel {...props} application={props.client} />}
    </>
  ),
  loss: '',
}

export function addApplicationRoutes(app: FastifyInstance, context: AppContext): void {
  addOwnClientRoutes(app, context, applications)
  addLogoRoutes(app, context, applications)

  app.get(routeOf(applications, '/renew'), async (request, reply) => {
    const { visit, client } = await enterToChange(applications, context, request, reply)
    if (!client.confidential) {
      return visit.goTo(`${applicationPath(client.clientId)}?done=no-secret`)
    }
    return visit.page(renewSecretPage({ ...visit.frame(), application: client }))
  })

  app.post(routeOf(applications, '/secret'), async (request, reply) => {
    const { visit, client } = await enterToChange(applications, context, request, reply)
    const { clientId } = client
    const end_old = visit.form().get('end_old') === 'yes'
    const made = await visit.perform(rotateSecret, { client_id: clientId, end_old })
    if (made.kind !== 'done') {
      return visit.goTo(`${applicationPath(clientId)}?done=no-secret`)
    }
    const { client_secret: secret, old_secret_expires_at: old_until } = made.output
    carrySecret(visit, clientId, { secret, rotated: true, old_until })
    return visit.goTo(applicationPath(clientId, '/secret'))
  })

  app.get(routeOf(applications, '/secret'), async (request, reply) => {
    const { visit, client } = await enterToChange(applications, context, request, reply)
    const { clientId, name } = client
    const taken = takeSecret(visit, clientId)
    if (taken === undefined) {
      return visit.goTo(`${applicationPath(clientId)}?done=secret-shown`)
    }
    const page = secretPage({ ...visit.frame(), clientId, name, ...taken })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })

  app.get(routeOf(applications, '/old-secret'), async (request, reply) => {
    const { visit, client } = await enterToChange(applications, context, request, reply)
    if (client.oldSecretExpiresAt === undefined) {
      return visit.goTo(`${applicationPath(client.clientId)}?done=old-secret-ended`)
    }
    return visit.page(endOldSecretPage({ ...visit.frame(), application: client }))
  })

  app.post(routeOf(applications, '/old-secret'), async (request, reply) => {
    const { visit, client } = await enterToChange(applications, context, request, reply)
    visit.form()
    await visit.perform(endOldSecret, { client_id: client.clientId })
    return visit.goTo(`${applicationPath(client.clientId)}?done=old-secret-ended`)
  })
}

function factsOf(client: ListedClient, timeZone: string): FactRows {
  const { clientId, confidential, builtIn, assistant, createdAt, secretRotatedAt } = client
  return [
    ['client_id', <ClientId clientId={clientId} />],
    [
      'Kind',
      confidential
        ? 'Confidential: sends its secret in the form body (client_secret_post)'
        : 'Public: no secret; PKCE protects each sign-in',
    ],
    assistant !== undefined && [
      'Assistant',
      <>
        {templateOf(assistant).name}. Members find it, with the steps, at{' '}
        <a href="/account/assistants">Use with an assistant</a>
        {client.disabled && ', once it is switched on again'}.
      </>,
    ],
    !builtIn && ['Created', <Moment at={createdAt} timeZone={timeZone} />],
    confidential && [
      'Secret issued',
      <Moment at={secretRotatedAt ?? createdAt} timeZone={timeZone} />,
    ],
  ]
}

function Addresses({ origin }: { origin: string }) {
  const addresses = [
    ['issuer', 'Issuer', origin],
    ['discovery', 'All endpoints', origin + DOCUMENTS.authorizationServer],
    ['member-api', 'Member API (GraphQL)', origin + ENDPOINTS.memberApi],
    ['mcp-member', 'Assistants of members (MCP)', `${origin}/mcp/member`],
    ['mcp', 'Assistants of owners and admins (MCP)', `${origin}/mcp`],
  ] as const
  return (
    <Panel title="Addresses" lead="What a developer asks for, besides the client_id.">
      <Facts
        rows={addresses.map(([id, label, url]) => [
          label,
          <CopyText id={id} what={`the address: ${label}`}>
            <Address text={url} />
          </CopyText>,
        ])}
      />
      <CopyStatus />
    </Panel>
  )
}
