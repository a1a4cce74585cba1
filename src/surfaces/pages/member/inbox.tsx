import type { FastifyInstance } from 'fastify'
import {
  countUnreadOf,
  type InboxEntry,
  inboxOf,
  markAllRead,
  markRead,
  markUnread,
} from '../../../domain/notifications/inbox.ts'
import { parseKey } from '../../../foundation/db/keyset.ts'
import { AsWritten, Button, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText, visibleLines } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, type SiteFrame } from '../frame/layout.tsx'
import { type ListPage, readListPage } from '../frame/list-parts.tsx'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { memberVisit } from '../frame/visit.ts'
import { countUpTo } from '../frame/words.ts'
import { memberList } from './lists.tsx'
import { EntryTitle, Row } from './rows.tsx'

const PATH = MEMBER_PATHS.inbox
const LIST = 'inbox'

const NOTICES = {
  all: 'Everything is marked as read.',
  gone: { warning: 'That message is no longer in your inbox.' },
}

export function addInboxRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session } = visit
    const { schoolDb: db } = request
    const { id } = session.person
    const [page, unread] = await Promise.all([
      readListPage(request, LIST, (range) => inboxOf(db, id, range)),
      countUnreadOf(db, id),
    ])
    const html = inboxPage({
      ...visit.frame(NOTICES),
      ...{ page, unread, timeZone: request.school.timeZone },
      after: page.isFirst ? undefined : (queryOf(request).get('after') ?? undefined),
    })
    return visit.page(html)
  })

  for (const [action, mark] of [
    ['read', markRead],
    ['unread', markUnread],
  ] as const) {
    app.post(`${PATH}/:id/${action}`, async (request, reply) => {
      const visit = await memberVisit(context, request, reply, PATH)
      const { session } = visit
      const form = visit.form()
      const { id } = request.params as { id: string }
      const marked = isUuid(id) && (await mark(request.schoolDb, session.person.id, id))
      if (!marked) return visit.goTo(`${PATH}?done=gone`)
      const after = form.get('after') ?? ''
      const here = parseKey(LIST, after) === undefined ? PATH : `${PATH}?after=${after}`
      return visit.goTo(`${here}#message-${id}`)
    })
  }

  app.post(`${PATH}/read-all`, async (request, reply) => {
    const visit = await memberVisit(context, request, reply, PATH)
    const { session } = visit
    visit.form()
    await markAllRead(request.schoolDb, session.person.id)
    return visit.goTo(`${PATH}?done=all`)
  })
}

interface InboxProps extends SiteFrame {
  page: ListPage<InboxEntry>
  unread: number
  /** The cursor of this page, to come back to it. */
  after: string | undefined
  timeZone: string
}

export function inboxPage(props: InboxProps): string {
  const { unread, after } = props
  const formToken = props.viewer?.formToken ?? ''
  return memberList({
    ...props,
    title: 'Inbox',
    lead: unread === 0 ? 'Nothing unread.' : `${countUpTo(unread, 'message', 'messages')} unread.`,
    path: MEMBER_PATHS.inbox,
    above: unread > 0 && (
      <Form action={`${MEMBER_PATHS.inbox}/read-all`} formToken={formToken}>
        <Button look="plain">Mark all as read</Button>
      </Form>
    ),
    empty: <p>No messages. News of your courses and payments comes here.</p>,
    row: (entry) => <Entry {...{ entry, formToken, after }} timeZone={props.timeZone} />,
  })
}

interface EntryProps {
  entry: InboxEntry
  formToken: string
  after: string | undefined
  timeZone: string
}

function Entry({ entry, formToken, after, timeZone }: EntryProps) {
  const [action, words] =
    entry.readAt === null ? ['read', 'Mark as read'] : ['unread', 'Mark as unread']
  return (
    <Row
      id={`message-${entry.id}`}
      title={<EntryTitle entry={entry} />}
      notes={
        <>
          {entry.body.trim() !== '' && <AsWritten text={visibleLines(entry.body)} />}
          <p class="row-note">
            <Moment at={entry.createdAt} timeZone={timeZone} />
          </p>
        </>
      }
    >
      <Form
        action={`${MEMBER_PATHS.inbox}/${entry.id}/${action}`}
        formToken={formToken}
        hidden={{ after }}
      >
        <Button look="quiet">
          {words}
          <span class="visually-hidden">: {plainText(entry.title) || 'a message'}</span>
        </Button>
      </Form>
    </Row>
  )
}
