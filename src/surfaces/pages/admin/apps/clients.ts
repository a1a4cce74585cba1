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
import { COPY_SCRIPT } from '../../../../foundation/html/copyable.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf, withoutNul } from '../../frame/layout.tsx'
import { adminPaths, applicationPath, toolPath } from '../../frame/paths.ts'
import { type ShownForm, savedForm } from '../crud/form.tsx'
import { clientPath } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { saveSettings, settingsRow } from '../settings/settings.tsx'
import type { PeopleProps } from './activity.tsx'
import {
  clientPage,
  clientsPage,
  documentFieldsWith,
  endAccessPage,
  switchOffPage,
} from './client-pages.tsx'

const PEOPLE_SHOWN = 50

export const STATUS_NOTICES = {
  off: 'Switched off. It can do nothing here from now on, and cannot ask people for access.',
  on: 'Switched on again.',
  ended: 'Ended. The app can no longer use that person’s account.',
  'all-ended': 'Ended. The app has no access until people allow it again.',
}

const NOTICES = {
  ...STATUS_NOTICES,
  reviewed: 'Reviewed. It may ask owners and admins to let it change things from now on.',
  unreviewed: 'The review is withdrawn. The app can only read, in two hours at the latest.',
  saved: 'Saved.',
  'all-stopped':
    'All apps and assistants are stopped. Each works again only for people who allow it again.',
}

/**
 * Apps and assistants: where an operator sees, reviews and stops clients of every kind, with the
 * beta feature on or off.
 */
export function addClientRoutes(app: FastifyInstance, context: AppContext): void {
  const documentFields = documentFieldsWith(context.documentHosts)

  app.get(adminPaths.clients, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const saved = settingsRow(request.school)
    return await showAll(visit, await savedForm(visit, documentFields, saved))
  })

  app.post(`${adminPaths.clients}/documents`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.clients)
    const { refused } = await saveSettings(visit, documentFields)
    if (refused !== undefined) return await showAll(visit, refused.form, refused.status)
    return visit.goTo(`${adminPaths.clients}?done=saved`)
  })

  app.get(adminPaths.client, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const client = await loadClient(request, queryOf(request).get('id') ?? '')
    if (hasOwnPage(request, client)) {
      return visit.goTo(applicationPath(client.clientId))
    }
    if (client.slug !== undefined && request.school.mcpConnections) {
      const done = queryOf(request).get('done')
      const notice = done === null ? '' : `?done=${encodeURIComponent(done)}`
      return visit.goTo(toolPath(client.slug) + notice)
    }
    const page = clientPage({
      ...visit.frame(NOTICES),
      client,
      people: await readPeople(request, client.clientId),
    })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })

  app.post(`${adminPaths.clients}/review`, async (request, reply) => {
    const { visit, client } = await enterPost(context, request, reply)
    await visit.perform(reviewClient, { client_id: client.clientId })
    return visit.goTo(`${clientPath(client.clientId)}&done=reviewed`)
  })

  app.post(`${adminPaths.clients}/withdraw-review`, async (request, reply) => {
    const { visit, client } = await enterPost(context, request, reply)
    await visit.perform(withdrawReview, { client_id: client.clientId })
    return visit.goTo(`${clientPath(client.clientId)}&done=unreviewed`)
  })

  app.get(adminPaths.clientStatus, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const client = await loadClient(request, queryOf(request).get('id') ?? '')
    const back = pageOf(request, client)
    if (client.disabled || client.platformDisabled) {
      return visit.goTo(back)
    }
    const page = switchOffPage({
      ...visit.frame(),
      client,
      people: await countPeopleOfApp(request.schoolDb, client.clientId),
      back,
    })
    return visit.page(page)
  })

  app.post(adminPaths.clientStatus, async (request, reply) => {
    const { visit, client, form } = await enterPost(context, request, reply)
    const off = form.get('standing') === 'off'
    const operation = off ? disableClient : enableClient
    await visit.perform(operation, { client_id: client.clientId })
    return visit.goTo(pageOf(request, client, off ? 'off' : 'on'))
  })

  app.post(`${adminPaths.clients}/end`, async (request, reply) => {
    const { visit, client, form } = await enterPost(context, request, reply)
    const person = form.get('person') ?? ''
    if (!isUuid(person)) throw new RequestRefusedError(404, 'There is no such person here.')
    const by = visit.actor
    await endConnectedApp(request.schoolDb, person, { clientId: client.clientId }, by)
    return visit.goTo(pageOf(request, client, 'ended'))
  })

  app.get(adminPaths.endAccess, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const client = await loadClient(request, queryOf(request).get('id') ?? '')
    const page = endAccessPage({
      ...visit.frame(),
      client,
      people: await countPeopleOfApp(request.schoolDb, client.clientId),
      back: pageOf(request, client),
    })
    return visit.page(page)
  })

  app.post(adminPaths.endAccess, async (request, reply) => {
    const { visit, client } = await enterPost(context, request, reply)
    await visit.perform(endClientAccess, { client_id: client.clientId })
    return visit.goTo(pageOf(request, client, 'all-ended'))
  })
}

/** A post about the client of this school that its form names. */
async function enterPost(context: AppContext, request: FastifyRequest, reply: FastifyReply) {
  const visit = await operatorVisit(context, request, reply, adminPaths.clients)
  const form = visit.form()
  const client = await loadClient(request, form.get('client') ?? '')
  return { visit, form, client }
}

async function loadClient(request: FastifyRequest, clientId: string): Promise<ListedClient> {
  const found = await findListedClient(request.schoolDb, withoutNul(clientId))
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

/**
 * The people with a live authorization of one app, starting at the address's `after`, and what it
 * did for all.
 */
export async function readPeople(request: FastifyRequest, clientId: string): Promise<PeopleProps> {
  const after = queryOf(request).get('after') ?? ''
  const [page, activity] = await Promise.all([
    peopleOfApp(request.schoolDb, clientId, {
      after: isUuid(after) ? after : undefined,
      limit: PEOPLE_SHOWN,
    }),
    activityOfApps(request.schoolDb, [clientId]),
  ])
  return { ...page, activity: activity.get(clientId) }
}

async function showAll(
  visit: OperatorVisit,
  documents: ShownForm,
  status = 200,
): Promise<FastifyReply> {
  const { request } = visit
  const clients = await listClients(request.schoolDb)
  const ids = clients.map(({ clientId }) => clientId)
  const [people, connectedPeople, activity] = await Promise.all([
    peoplePerApp(request.schoolDb),
    countConnectedPeople(request.schoolDb),
    activityOfApps(request.schoolDb, ids),
  ])
  const page = clientsPage({
    ...visit.frame(NOTICES),
    here: adminPaths.clients,
    clients,
    people,
    connectedPeople,
    activity,
    documents,
  })
  return visit.page(page, status)
}
