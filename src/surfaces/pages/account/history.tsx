import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import {
  type HistoryEntry,
  type HistoryPage,
  readHistory,
} from '../../../domain/audit/read-audit.ts'
import { Name } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { auditWord } from '../frame/audit-words.ts'
import { queryOf, type SiteFrame, sitePage } from '../frame/layout.tsx'
import { Pager } from '../frame/list-parts.tsx'
import { TO_SETTINGS } from '../frame/paths.ts'
import { signedInVisit } from '../frame/visit.ts'

const HISTORY_PATH = '/account/history'

interface HistoryProps extends SiteFrame, HistoryPage {
  isFirst: boolean
  timeZone: string
}

export function historyPage(props: HistoryProps): string {
  const { entries, timeZone } = props
  return sitePage({
    ...props,
    title: 'History',
    children: (
      <>
        <PageHead
          title="History"
          lead="What you allowed, ended and changed at this school, the latest first."
          up={TO_SETTINGS}
        />
        <section class="panel" aria-label="Entries">
          {entries.length === 0 ? (
            <Empty>
              <p>
                {props.isFirst
                  ? 'Nothing yet. An app that you allow or a new password appears here.'
                  : 'There is nothing older.'}
              </p>
            </Empty>
          ) : (
            <ul class="rows">
              {entries.map((entry) => (
                <li>
                  <div>
                    <p class="row-title">
                      <span>
                        <HistoryLine entry={entry} />
                      </span>
                    </p>
                    <p class="row-note">
                      <Moment at={entry.at} timeZone={timeZone} />
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </section>
        <Pager
          first={HISTORY_PATH}
          isFirst={props.isFirst}
          next={props.next && `${HISTORY_PATH}?before=${props.next}`}
          label="Older"
        >
          The latest entries are on the first page.
        </Pager>
      </>
    ),
  })
}

const SHOWN = 50

/** What the person allowed, ended and changed at this school. */
export function addHistoryRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(HISTORY_PATH, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const asked = queryOf(request).get('before') ?? ''
    const before = isUuid(asked) ? asked : undefined
    const page = historyPage({
      ...visit.frame(),
      ...(await readHistory(request.schoolDb, session.person.id, { before, limit: SHOWN })),
      isFirst: before === undefined,
      timeZone: request.school.timeZone,
    })
    return visit.page(page)
  })
}

type Words = (entry: HistoryEntry) => ComponentChildren

/** By action. An action that is not here has the words of the audit log, without any detail. */
const words: Readonly<Record<string, Words>> = {
  'authorization.granted': (entry) => <>You allowed {appOf(entry)}</>,
  'authorization.denied': (entry) => <>You did not allow {appOf(entry)}</>,
  'authorization.ended': accessEnded,
  'session.new_browser': ({ device }) => `You signed in with a new browser: ${browserOf(device)}`,
  'session.ended': ({ isAll, device }) =>
    isAll ? 'You signed out all other browsers' : `You signed out ${browserOf(device)}`,
  'member.roles_changed': () => 'Your roles at this school were changed',
  'member.invited': () => 'This school invited you',
  'member.name_corrected': () => 'This school corrected your name in its list',
  'person.signed_up': () => 'You joined this school as a student',
  'person.email_changed': () => 'Your email address was changed',
  'person.email_change_undone': () => 'The change of your email address was undone',
  'person.password_changed': ({ by = '' }) =>
    Object.hasOwn(passwords, by) ? passwords[by] : 'Your password was changed',
}

/** What happened, in one line that addresses the person. */
function HistoryLine({ entry }: { entry: HistoryEntry }) {
  const { action } = entry
  return <>{Object.hasOwn(words, action) ? words[action]?.(entry) : auditWord(action)}</>
}

function accessEnded(entry: HistoryEntry): ComponentChildren {
  const { by, isOwn, isAll } = entry
  const app = appOf(entry)
  if (by === 'sign_out') return <>The access of {app} ended as you signed out everywhere</>
  if (by === 'new_password') return <>The access of {app} ended with your new password</>
  if (by === 'demotion') return <>The access of {app} ended with your role</>
  if (isAll) return <>You ended the access of {app} for everyone here</>
  if (by === 'person') return <>You ended the access of {app}</>
  return isOwn ? <>Old access of {app} ended</> : <>This school ended the access of {app}</>
}

const passwords: Readonly<Record<string, string>> = {
  current_password: 'You changed your password',
  reset_link: 'You set a new password by a link in an email',
  short_password: 'You replaced a short password',
  sign_up: 'You chose a password when you signed up',
  invitation: 'You chose a password by the link of an invitation',
  email_undone: 'Your password ended when the change of your email address was undone',
  command_line: 'The administrator of this server set a new password for you',
  not_me: 'You said that it was not you, and everything ended',
  end_everything: 'The administrator of this server ended everything for you',
}

function appOf({ app }: HistoryEntry) {
  return <Name text={app ?? ''} fallback="an app" />
}

function browserOf(device: string | undefined): string {
  return plainText(device ?? '') || 'an unknown browser'
}
