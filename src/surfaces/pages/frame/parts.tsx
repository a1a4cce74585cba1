import type { CourseProgress } from '../../../domain/learning/progress.ts'
import {
  Alert,
  AsWritten,
  Avatar,
  Button,
  Email,
  Form,
  Name,
  Prose,
} from '../../../foundation/html/components.tsx'
import type { Branding } from '../../../foundation/html/layout.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { wordsOfHtml } from '../../../foundation/text/plain-text.ts'
import { waitInWords } from './words.ts'

export interface Person {
  name: string
  email: string
  avatarUrl?: string | undefined
}

export interface SwitchAccount {
  action: string
  /** The pending authorization to continue with after signing in with another account. */
  sealedRequest?: string | undefined
}

interface SignedInAsProps {
  person: Person
  formToken: string
  switchAccount: SwitchAccount
}

/**
 * The person who is signed in, and a button to use another account: a form, since it ends the
 * session.
 */
export function SignedInAs({ person, formToken, switchAccount }: SignedInAsProps) {
  return (
    <div class="person">
      <Avatar name={person.name || person.email} url={person.avatarUrl} />
      <p>
        <span class="visually-hidden">Signed in as </span>
        <Name text={person.name} fallback="You" />
        <span class="email">
          <Email text={person.email} />
        </span>
      </p>
      <Form
        action={switchAccount.action}
        formToken={formToken}
        hidden={{ request: switchAccount.sealedRequest }}
      >
        <Button look="quiet">Use another account</Button>
      </Form>
    </div>
  )
}

interface Written {
  school: Branding
  text: string
  /** Of the text; null if it is not rendered yet. */
  html: string | null
}

/** The words of such a text, as far as they are needed to say what it is about. */
export function beginningOf({ text, html }: Omit<Written, 'school'>): string {
  return html === null ? text : wordsOfHtml(html)
}

/** A text that the school wrote, in its language; nothing if it is empty. */
export function WrittenWords({ school: { language }, text, html }: Written) {
  if (text.trim() === '') return null
  return html === null ? (
    <AsWritten text={text} lang={language} />
  ) : (
    <Prose html={html} lang={language} />
  )
}

/** `WrittenWords` in a panel of its own. */
export function WrittenText(props: Written) {
  if (props.text.trim() === '') return null
  return (
    <article class="panel">
      <WrittenWords {...props} />
    </article>
  )
}

/** How far a member is in a course. */
export function CourseMeter({ progress }: { progress: CourseProgress }) {
  const { percent, completedLectures, totalLectures } = progress
  return (
    <div class="meter">
      <progress max={100} value={percent} aria-label="Completed lectures" />
      <p>
        {`${percent}%`}
        <span class="row-note">{` ${completedLectures} of ${totalLectures} lectures`}</span>
      </p>
    </div>
  )
}

/** What became of the form that a person sent. */
export type Interrupted = 'kept' | 'too_long' | 'files'

/** On a page that stands between a person and the form that they sent. */
export function InterruptedAlert({ title, kind }: { title: string; kind: Interrupted }) {
  return (
    <Alert tone="warning" title={title}>
      <p>{WORDS[kind]}</p>
    </Alert>
  )
}

const WORDS: Record<Interrupted, string> = {
  kept: 'What you typed is kept for 30 minutes. You can send it after this step.',
  too_long:
    'What you typed is too long to be kept. Go back in your browser and copy it before you continue.',
  files: 'Files are never kept. Choose yours again after this step.',
}

export interface WaitingDeletion {
  part: 'school' | 'account'
  dueAt: Date
  /** Present if it was due, and a school would have had no owner. */
  blockedAt: Date | null
}

const DELETIONS = {
  school: { what: 'This school will forget you', keep: 'Stay at this school' },
  account: { what: 'Your whole account will be deleted', keep: 'Keep my account' },
} as const

/** Shown while the person can change their mind. */
export function DeletionNotice(props: {
  waiting: readonly WaitingDeletion[]
  formToken: string
  timeZone: string
}) {
  return (
    <>
      {props.waiting.map(({ part, dueAt, blockedAt }) => (
        <Alert tone="warning" title={DELETIONS[part].what}>
          <p>
            {blockedAt === null ? (
              <>
                On <Moment at={dueAt} timeZone={props.timeZone} />. Until then you can change your
                mind.
              </>
            ) : (
              'It could not be done yet, because you are the only owner of a school. Make another member an owner there.'
            )}
          </p>
          <Form action="/account/delete/cancel" formToken={props.formToken} hidden={{ part }}>
            <Button look="primary">{DELETIONS[part].keep}</Button>
          </Form>
        </Alert>
      ))}
    </>
  )
}

/** What the owner of a new school does next. */
export function NewSchoolSteps() {
  return (
    <>
      <p>Then, in the admin area:</p>
      <ol>
        <li>Under Signing keys make a key, so that apps learn who signed in.</li>
        <li>
          In Settings switch on MCP connections, and under OAuth applications make the first app.
        </li>
        <li>Add people and courses.</li>
      </ol>
    </>
  )
}

/** Above a form that cannot be sent again yet. */
export function TooMany({ what, seconds }: { what: 'attempts' | 'requests'; seconds: number }) {
  return (
    <Alert tone="error" title={`Too many ${what}`}>
      <p>Wait {waitInWords(seconds)} before you try again.</p>
    </Alert>
  )
}

/** Says it for every address, known here or not. */
export function LinkSentBefore({ seconds }: { seconds: number }) {
  return (
    <Alert tone="error" title="Too many requests">
      <p>
        Check your email: we have already sent a link. Otherwise try again in {waitInWords(seconds)}
        .
      </p>
    </Alert>
  )
}
