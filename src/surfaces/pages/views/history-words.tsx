import type { ComponentChildren } from 'preact'
import type { HistoryEntry } from '../../../domain/audit/read-audit.ts'
import { Name } from '../../../foundation/html/components.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { auditWord } from './admin/audit-words.ts'

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
export function HistoryLine({ entry }: { entry: HistoryEntry }) {
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
