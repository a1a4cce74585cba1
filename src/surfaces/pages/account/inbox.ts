import type { FastifyInstance } from 'fastify'
import {
  countUnreadOf,
  inboxOf,
  markAllRead,
  markRead,
  markUnread,
} from '../../../domain/notifications/inbox.ts'
import { parseKey } from '../../../foundation/db/keyset.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadMemberSession } from '../browser-session.ts'
import { readListPage } from '../list-page.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor, queryOf } from '../site-frame.ts'
import { inboxPage } from '../views/member/inbox.tsx'
import { MEMBER_PATHS } from '../views/member/member-page.tsx'

const PATH = MEMBER_PATHS.inbox
const LIST = 'inbox'

const NOTICES = {
  all: 'Everything is marked as read.',
  gone: { warning: 'That message is no longer in your inbox.' },
}

export function addInboxRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await loadMemberSession(request)
    const { at } = request
    const { id } = session.person
    const [page, unread] = await Promise.all([
      readListPage(request, LIST, (range) => inboxOf(at, id, range)),
      countUnreadOf(at, id),
    ])
    const html = inboxPage({
      ...frameFor(context, request, reply, session, NOTICES),
      ...{ page, unread, timeZone: request.school.timeZone },
      after: page.isFirst ? undefined : (queryOf(request).get('after') ?? undefined),
    })
    return sendPage(reply, request, 'site', html)
  })

  for (const [action, mark] of [
    ['read', markRead],
    ['unread', markUnread],
  ] as const) {
    app.post(`${PATH}/:id/${action}`, async (request, reply) => {
      const session = await loadMemberSession(request, PATH)
      const form = checkedForm(context.keyring, request, session)
      const { id } = request.params as { id: string }
      const marked = isUuid(id) && (await mark(request.at, session.person.id, id))
      if (!marked) return redirectTo(reply, request, 'site', `${PATH}?done=gone`)
      const after = form.get('after') ?? ''
      const here = parseKey(LIST, after) === undefined ? PATH : `${PATH}?after=${after}`
      return redirectTo(reply, request, 'site', `${here}#message-${id}`)
    })
  }

  app.post(`${PATH}/read-all`, async (request, reply) => {
    const session = await loadMemberSession(request, PATH)
    checkedForm(context.keyring, request, session)
    await markAllRead(request.at, session.person.id)
    return redirectTo(reply, request, 'site', `${PATH}?done=all`)
  })
}
