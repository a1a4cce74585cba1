import type { InboxEntry } from '../../../../domain/notifications/inbox.ts'
import { AsWritten, Button, Form } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText, visibleLines } from '../../../../foundation/html/plain-text.ts'
import type { ListPage } from '../list-body.tsx'
import type { SiteFrame } from '../site-layout.tsx'
import { countUpTo } from '../words.ts'
import { memberList } from './list.tsx'
import { MEMBER_PATHS } from './member-page.tsx'
import { EntryTitle, Row } from './rows.tsx'

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
