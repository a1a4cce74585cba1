import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  type ChangeLink,
  CONFIRM_HOURS,
  type EmailChange,
  findChange,
  type Mailbox,
  openChangeLink,
  UNDO_DAYS,
} from '../../../domain/people/email-change/email-change.ts'
import {
  confirmEmailChange,
  stopEmailChange,
} from '../../../domain/people/email-change/request-change.ts'
import { type Undoing, undoEmailChange } from '../../../domain/people/email-change/undo-change.ts'
import { findRemoval, takeBackReport } from '../../../domain/people/factors/lost-factors.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Button, Email, Form, Name } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type Busy, catchBusy } from '../frame/page-request.ts'
import { rememberBrowser } from '../frame/session.ts'
import type { Visit } from '../frame/visit.ts'
import { addMailLinkRoutes, type MailLink } from '../sign-in/mail-link.ts'

const EMAIL_CHANGE_PATH = '/email-change'

interface QuestionProps {
  school: Branding
  formToken: string
  link: string
  /** Whose link it is. */
  mailbox: Mailbox
  /**
   * Of this mailbox. The page does not show the other one, because another person may read this.
   */
  email: string
  isChanged: boolean
  /** Only a passkey or a code undoes it. */
  needsFactor: boolean
  /** The passkeys and the authenticator app were reported as lost. */
  areFactorsLost: boolean
  hasAgreed: boolean
}

export function changeQuestionPage(props: QuestionProps): string {
  const { title, lead, buttons } = questionOf(props)
  return renderPage(
    <CardPage title={title} school={props.school}>
      <p class="lead">{lead}</p>
      <Form action={EMAIL_CHANGE_PATH} formToken={props.formToken} hidden={{ link: props.link }}>
        {buttons}
      </Form>
    </CardPage>,
  )
}

const NEEDS_FACTOR =
  'The change was confirmed with a passkey or a code of your account, so undoing it needs one too. Sign in with it, where your passkey works, and undo the change under “Email address”.'

const FACTORS_LOST =
  'Someone said that the passkeys and the authenticator app of this account are lost, so they will be removed.'

function questionOf(props: QuestionProps) {
  const { school, mailbox, email, isChanged, needsFactor, areFactorsLost, hasAgreed } = props
  const here = <Name text={school.name} fallback="this school" />
  const address = <Email text={email} />
  if (isChanged && needsFactor) {
    return {
      title: 'Undo the change of your email address?',
      lead: areFactorsLost ? `${FACTORS_LOST} ${NEEDS_FACTOR}` : NEEDS_FACTOR,
      buttons: (
        <>
          {areFactorsLost && (
            <Decision look="danger" value="keep_factors" label="They are not lost: keep them" />
          )}
          <ButtonLink look="primary" href="/account/email">
            Sign in
          </ButtonLink>
        </>
      ),
    }
  }
  if (isChanged) {
    return {
      title: 'Undo the change of your email address?',
      lead: (
        <>
          Your account at {here} gets the address {address} back. Every browser is signed out, all
          apps are disconnected and the password stops working, at every school. We then email you a
          link for a new one.
        </>
      ),
      buttons: <Decision look="danger" value="undo" label="Undo the change" />,
    }
  }
  if (mailbox === 'new') {
    return {
      title: 'Use this email address?',
      lead: (
        <>
          You then sign in to your account at {here} with {address}, once the old address has agreed
          too.
        </>
      ),
      buttons: <Decision look="primary" value="agree" label="Use this address" />,
    }
  }
  return {
    title: 'Change the email address of your account?',
    lead: hasAgreed ? (
      <>You have agreed. We wait for the new address. Until then you can stop the change.</>
    ) : (
      <>
        Your account at {here} gets another address, and {address} no longer signs in. You can undo
        it for {UNDO_DAYS} days.
      </>
    ),
    buttons: (
      <>
        {!hasAgreed && <Decision look="choice" value="agree" label="Agree" />}
        <Decision look="choice" value="stop" label="Stop the change" />
      </>
    ),
  }
}

interface DecisionProps {
  look: 'primary' | 'choice' | 'danger'
  value: 'agree' | 'stop' | 'undo' | 'keep_factors'
  label: string
}

function Decision({ look, value, label }: DecisionProps) {
  return (
    <Button look={look} name="decision" value={value}>
      {label}
    </Button>
  )
}

/** What became of it. */
type DoneChange =
  | { kind: 'waits' | 'stopped' | 'expired' | 'taken' | 'busy' | 'needs_factor' | 'factors_kept' }
  | { kind: 'changed' | 'undone'; email: string }

export function changeDonePage(school: Branding, change: DoneChange): string {
  const { title, words, signsIn, again } = resultOf(change)
  return renderPage(
    <CardPage title={title} school={school}>
      <p>{words}</p>
      {again !== undefined && (
        <ButtonLink look="primary" href="/account/email">
          {again}
        </ButtonLink>
      )}
      {change.kind === 'stopped' && (
        <p>
          If it was not you who asked for it, <a href="/forgotten-password">set a new password</a>{' '}
          at once: someone else is signed in to your account.
        </p>
      )}
      {signsIn && (
        <ButtonLink look="primary" href="/sign-in">
          Sign in
        </ButtonLink>
      )}
    </CardPage>,
  )
}

function resultOf(change: DoneChange) {
  switch (change.kind) {
    case 'waits':
      return {
        title: 'One mailbox to go',
        words:
          'Thank you. Your account changes when you have opened the link in the other mailbox too.',
      }
    case 'changed':
      return {
        title: 'Your email address is changed',
        words: (
          <>
            From now on, sign in with <Email text={change.email} /> at all your schools. Every other
            browser was signed out.
          </>
        ),
        signsIn: true,
      }
    case 'stopped':
      return { title: 'The change is stopped', words: 'Your email address stays the same.' }
    case 'factors_kept':
      return {
        title: 'The passkeys and the authenticator app stay',
        words: 'They will not be removed. We have told the address of the account.',
      }
    case 'undone':
      return {
        title: 'The change is undone',
        words: (
          <>
            Your account has the address <Email text={change.email} /> again. Every browser was
            signed out. Check your email: we have sent you a link for a new password.
          </>
        ),
      }
    case 'taken':
      return {
        title: 'This address cannot be used',
        words: 'There is another account with it by now. Nothing was changed.',
        again: 'Choose another address',
      }
    case 'busy':
      return {
        title: 'Please try again',
        words: 'Many people are here right now. Open the link again in a few seconds.',
      }
    case 'needs_factor':
      return {
        title: 'This needs your passkey or a code',
        words: NEEDS_FACTOR,
        again: 'Email address',
      }
    case 'expired':
      return {
        title: 'This link has expired',
        words: `A link for a new email address works for ${CONFIRM_HOURS} hours, and to undo a change for ${UNDO_DAYS} days. This one was used, stopped or replaced, or it is too old.`,
        again: 'Change email address',
      }
  }
}

/** The links in the mails about a new address. */
const changeLink: MailLink<
  { link: ChangeLink; change: EmailChange; areFactorsLost: boolean },
  never
> = {
  path: EMAIL_CHANGE_PATH,
  field: 'link',
  async open({ context, request, db }, sealed) {
    const link = openChangeLink(context.keyring, request.school.id, sealed)
    const change = link && (await findChange(db, link))
    if (link === undefined || change === undefined) return undefined
    const removal = await findRemoval(acrossSchools(db), change.userId)
    return { link, change, areFactorsLost: removal !== undefined }
  },
  question({ school, formToken, link: sealed, opened: { link, change, areFactorsLost } }) {
    const isOld = link.mailbox === 'old'
    return changeQuestionPage({
      ...{ school, formToken, link: sealed, areFactorsLost },
      mailbox: link.mailbox,
      email: isOld ? change.oldEmail : change.newEmail,
      isChanged: change.isChanged,
      needsFactor: change.needsFactor,
      hasAgreed: isOld ? change.oldConfirmed : change.newConfirmed,
    })
  },
  expiredPage: (school) => changeDonePage(school, { kind: 'expired' }),
  async act(visit, sealed, form) {
    const { context, request, session, db } = visit
    const link = openChangeLink(context.keyring, request.school.id, sealed)
    if (link === undefined) return 'expired'
    switch (form.get('decision')) {
      case 'agree': {
        const known = session && { id: session.id, userId: session.person.id }
        const by = { session: known, requestId: request.id }
        return done(visit, await confirmEmailChange(db, link, by))
      }
      case 'stop': {
        const stopped = await stopEmailChange(db, link)
        return done(visit, { kind: stopped ? 'stopped' : 'expired' })
      }
      // This mailbox alone may stop the removal, though not undo the change.
      case 'keep_factors': {
        const change = await findChange(db, link)
        const isKept =
          change?.isChanged === true && (await takeBackReport(db, change.userId, request.id))
        return done(visit, { kind: isKept ? 'factors_kept' : 'expired' })
      }
      case 'undo':
        return answerUndo(visit, await catchBusy(undoEmailChange(db, link, request.id)))
      default:
        return visit.goTo('/')
    }
  },
}

export function addEmailChangeRoutes(app: FastifyInstance, context: AppContext): void {
  addMailLinkRoutes(app, context, changeLink)
}

/** What became of an undo, by the link or on the page of the account. */
export function answerUndo(visit: Visit, outcome: Undoing | Busy): FastifyReply {
  const { reply, context, request } = visit
  if (outcome.kind === 'busy') reply.header('retry-after', outcome.retryAfterSeconds)
  // The mailbox is proof enough: strangers who guess cannot keep the person from signing in now.
  if (outcome.kind === 'undone')
    rememberBrowser(context, request, reply, outcome.email, ['mail_link'])
  return done(visit, outcome)
}

const STATUS: Readonly<Partial<Record<DoneChange['kind'], number>>> = {
  expired: 400,
  taken: 409,
  needs_factor: 403,
  busy: 503,
}

function done(visit: Visit, change: DoneChange): FastifyReply {
  const page = changeDonePage(brandingOf(visit.request.school), change)
  return visit.page(page, STATUS[change.kind] ?? 200)
}
