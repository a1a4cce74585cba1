import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countConnectedPeople } from '../../../../domain/analytics/school-totals.ts'
import {
  disableClient,
  enableClient,
  endClientAccess,
  reviewClient,
  withdrawReview,
} from '../../../../domain/clients/client-operations.ts'
import {
  findListedClient,
  type ListedClient,
  listClients,
} from '../../../../domain/clients/list-clients.ts'
import { endConnectedApp } from '../../../../domain/grants/connected-apps.ts'
import {
  countPeopleOfApp,
  peopleOfApp,
  peoplePerApp,
} from '../../../../domain/grants/people-of-app.ts'
import { activityOfApps } from '../../../../domain/grants/read-activity.ts'
import type { BrowserSession } from '../../../../domain/people/sessions.ts'
import { COPY_SCRIPT } from '../../../../foundation/html/copyable.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf, withoutNul } from '../../frame/layout.tsx'
import { checkedForm, redirectTo, sendPage, sendScriptedPage } from '../../frame/page-request.ts'
import { adminPaths, applicationPath, toolPath } from '../../frame/paths.ts'
import { clientPath } from '../frame/admin-page.tsx'
import { changesIn, shownField, versionsOf } from '../frame/changes-in-form.tsx'
import { adminFrame, loadOperator, operatorActor, performAs } from '../frame/operator.ts'
import { saveSettings } from '../settings/settings.tsx'
import type { PeopleProps } from './activity.tsx'
import {
  clientPage,
  clientsPage,
  DOCUMENT_FIELDS,
  type DocumentSettings,
  endAccessPage,
  switchOffPage,
} from './client-pages.tsx'

const PEOPLE_SHOWN = 50

export const STANDING_NOTICES = {
  off: 'Switched off. It can do nothing here from now on, and cannot ask people for access.',
  on: 'Switched on again.',
  ended: 'Ended. The app can no longer use that person’s account.',
  'all-ended': 'Ended. The app has no access until people allow it again.',
}

const NOTICES = {
  ...STANDING_NOTICES,
  reviewed: 'Reviewed. It may ask owners and admins to let it change things from now on.',
  unreviewed: 'The review is withdrawn. The app can only read, in two hours at the latest.',
  saved: 'Saved.',
  'all-stopped':
    'All apps and assistants are stopped. Each works again only for people who allow it again.',
}

/** Apps and assistants: where an operator sees, reviews and stops clients of every kind, with the beta feature on or off. */
export function addClientRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.clients, async (request, reply) => {
    const operator = await loadOperator(request)
    const { documentHosts, openRegistration } = request.school
    const hidden = shownField(documentsOf(request))
    const settings = { hosts: documentHosts.join('\n'), openRegistration, problems: [], hidden }
    return await showAll(context, request, reply, operator, settings)
  })

  app.post(`${adminPaths.clients}/documents`, async (request, reply) => {
    const operator = await loadOperator(request, adminPaths.clients)
    const form = checkedForm(context.keyring, request, operator)
    const hosts = form.get('document_hosts') ?? ''
    const openRegistration = form.get('open_registration') === 'on'
    const documentHosts = [...new Set(hosts.split('\n').flatMap((line) => line.trim() || []))]
    const typed = { document_hosts: documentHosts, open_registration: openRegistration }
    const stored = documentsOf(request)
    const { changes, overwritten, shown } = changesIn(form, typed, stored)
    const again = { hosts, openRegistration, problems: [], hidden: shownField(shown) }
    if (overwritten.length > 0) {
      const overwrites = versionsOf(overwritten, DOCUMENT_FIELDS, typed, stored)
      return await showAll(context, request, reply, operator, { ...again, overwrites }, 409)
    }
    const outcome = await saveSettings(context, request, operator, changes)
    if (outcome.kind === 'invalid') {
      const problems = outcome.problems.map(({ detail }) => detail)
      return await showAll(context, request, reply, operator, { ...again, problems }, 400)
    }
    return redirectTo(reply, request, 'site', `${adminPaths.clients}?done=saved`)
  })

  app.get(adminPaths.client, async (request, reply) => {
    const operator = await loadOperator(request)
    const client = await loadClient(request, queryOf(request).get('id') ?? '')
    if (hasOwnPage(request, client)) {
      return redirectTo(reply, request, 'site', applicationPath(client.clientId))
    }
    if (client.slug !== undefined && request.school.mcpConnections) {
      const done = queryOf(request).get('done')
      const notice = done === null ? '' : `?done=${encodeURIComponent(done)}`
      return redirectTo(reply, request, 'site', toolPath(client.slug) + notice)
    }
    const page = clientPage({
      ...adminFrame(context, request, reply, operator, NOTICES),
      client,
      people: await readPeople(request, client.clientId),
    })
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })

  app.post(`${adminPaths.clients}/review`, async (request, reply) => {
    const { operator, client } = await enterPost(context, request)
    await performAs(request, operator, reviewClient, { client_id: client.clientId })
    return redirectTo(reply, request, 'site', `${clientPath(client.clientId)}&done=reviewed`)
  })

  app.post(`${adminPaths.clients}/withdraw-review`, async (request, reply) => {
    const { operator, client } = await enterPost(context, request)
    await performAs(request, operator, withdrawReview, { client_id: client.clientId })
    return redirectTo(reply, request, 'site', `${clientPath(client.clientId)}&done=unreviewed`)
  })

  app.get(adminPaths.standing, async (request, reply) => {
    const operator = await loadOperator(request)
    const client = await loadClient(request, queryOf(request).get('id') ?? '')
    const back = pageOf(request, client)
    if (client.disabled || client.platformDisabled) {
      return redirectTo(reply, request, 'site', back)
    }
    const page = switchOffPage({
      ...adminFrame(context, request, reply, operator),
      client,
      people: await countPeopleOfApp(request.at, client.clientId),
      back,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(adminPaths.standing, async (request, reply) => {
    const { operator, client, form } = await enterPost(context, request)
    const off = form.get('standing') === 'off'
    const operation = off ? disableClient : enableClient
    await performAs(request, operator, operation, { client_id: client.clientId })
    return redirectTo(reply, request, 'site', pageOf(request, client, off ? 'off' : 'on'))
  })

  app.post(`${adminPaths.clients}/end`, async (request, reply) => {
    const { operator, client, form } = await enterPost(context, request)
    const person = form.get('person') ?? ''
    if (!isUuid(person)) throw new RequestRefusedError(404, 'There is no such person here.')
    const by = operatorActor(request, operator)
    await endConnectedApp(request.at, person, { clientId: client.clientId }, by)
    return redirectTo(reply, request, 'site', pageOf(request, client, 'ended'))
  })

  app.get(adminPaths.endAccess, async (request, reply) => {
    const operator = await loadOperator(request)
    const client = await loadClient(request, queryOf(request).get('id') ?? '')
    const page = endAccessPage({
      ...adminFrame(context, request, reply, operator),
      client,
      people: await countPeopleOfApp(request.at, client.clientId),
      back: pageOf(request, client),
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(adminPaths.endAccess, async (request, reply) => {
    const { operator, client } = await enterPost(context, request)
    await performAs(request, operator, endClientAccess, { client_id: client.clientId })
    return redirectTo(reply, request, 'site', pageOf(request, client, 'all-ended'))
  })
}

/** Which documents the school permits, as it is saved now. */
function documentsOf({ school }: FastifyRequest) {
  return { document_hosts: school.documentHosts, open_registration: school.openRegistration }
}

/** Loads the operator, the checked form, and the client of this school that the form names. */
async function enterPost(context: AppContext, request: FastifyRequest) {
  const operator = await loadOperator(request, adminPaths.clients)
  const form = checkedForm(context.keyring, request, operator)
  const client = await loadClient(request, form.get('client') ?? '')
  return { operator, form, client }
}

async function loadClient(request: FastifyRequest, clientId: string): Promise<ListedClient> {
  const found = await findListedClient(request.at, withoutNul(clientId))
  if (found === undefined) {
    throw new RequestRefusedError(404, 'There is no client with this client_id here.')
  }
  return found
}

/** With the beta feature on, applications have a page in the Developers area. */
function hasOwnPage({ school }: FastifyRequest, { kind }: ListedClient): boolean {
  return kind === 'application' && school.mcpConnections
}

function pageOf(request: FastifyRequest, client: ListedClient, done?: string): string {
  const own = hasOwnPage(request, client)
  const page = own ? applicationPath(client.clientId) : clientPath(client.clientId)
  return done === undefined ? page : `${page}${own ? '?' : '&'}done=${done}`
}

/** The people with a live authorization of one app, starting at the address's `after`, and what it did for all. */
export async function readPeople(request: FastifyRequest, clientId: string): Promise<PeopleProps> {
  const after = queryOf(request).get('after') ?? ''
  const [page, activity] = await Promise.all([
    peopleOfApp(request.at, clientId, {
      after: isUuid(after) ? after : undefined,
      limit: PEOPLE_SHOWN,
    }),
    activityOfApps(request.at, [clientId]),
  ])
  return { ...page, activity: activity.get(clientId) }
}

async function showAll(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  settings: DocumentSettings,
  status = 200,
): Promise<FastifyReply> {
  const clients = await listClients(request.at)
  const ids = clients.map(({ clientId }) => clientId)
  const [people, connectedPeople, activity] = await Promise.all([
    peoplePerApp(request.at),
    countConnectedPeople(request.at),
    activityOfApps(request.at, ids),
  ])
  const page = clientsPage({
    ...adminFrame(context, request, reply, operator, NOTICES),
    here: adminPaths.clients,
    clients,
    people,
    connectedPeople,
    activity,
    settings,
    alwaysPermitted: context.documentHosts,
  })
  return sendPage(reply, request, 'site', page, status)
}
