import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  type AuthenticatorSetup,
  hasSecondFactor,
  setUpAuthenticator,
} from '../../../domain/people/factors/authenticators.ts'
import { RECOVERY_CODES } from '../../../domain/people/factors/recovery-codes.ts'
import {
  findSecondFactor,
  replaceRecoveryCodes,
  switchOffSecondFactor,
  switchOnSecondFactor,
} from '../../../domain/people/factors/second-factor.ts'
import { knownByCode } from '../../../domain/people/known-device.ts'
import { otpauthUrl } from '../../../foundation/crypto/totp.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { COPY_SCRIPT, Copyable, CopyStatus } from '../../../foundation/html/copyable.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { QrCode } from '../../../foundation/html/qr-code.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { factorPaths, TO_SETTINGS } from '../frame/paths.ts'
import { requireOwnFactor } from '../frame/recent-proof.ts'
import { rememberBrowser } from '../frame/session.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'
import { count } from '../frame/words.ts'

const UP = { url: factorPaths.page, label: 'Second factor' }
const LEAD =
  'A code from an app on your phone, in addition to your password. One for all your schools on this server.'

interface SecondFactorProps extends SiteFrame {
  /** Undefined while it is off. */
  factor: { since: Date; codesLeft: number } | undefined
  timeZone: string
}

export function secondFactorPage(props: SecondFactorProps): string {
  const { factor } = props
  return sitePage({
    ...props,
    title: 'Second factor',
    children: (
      <>
        <PageHead title="Second factor" lead={LEAD} up={TO_SETTINGS} />
        {factor === undefined ? <Off /> : <On {...props} factor={factor} />}
      </>
    ),
  })
}

function Off() {
  return (
    <Panel
      title="It is off"
      lead="Anyone who learns your password can sign in as you. With a second factor they cannot."
    >
      <p>
        You need an authenticator app, such as the one in your password manager, Google
        Authenticator or Aegis.
      </p>
      <div class="actions">
        <ButtonLink look="primary" href={factorPaths.setup}>
          Set it up
        </ButtonLink>
      </div>
    </Panel>
  )
}

function On(props: SecondFactorProps & { factor: { since: Date; codesLeft: number } }) {
  const { since, codesLeft } = props.factor
  const formToken = props.viewer?.formToken ?? ''
  return (
    <>
      <Panel
        title="It is on"
        lead={
          <>
            Since <Moment at={since} timeZone={props.timeZone} />. Every sign-in with your password
            asks for a code, except in browsers that you trust.
          </>
        }
      />
      <Panel
        title="Recovery codes"
        lead={`${codesLeft === 0 ? 'None' : count(codesLeft, 'code', 'codes')} left. Each works once, if you do not have your phone.`}
      >
        {codesLeft <= 2 && (
          <Alert tone="warning" title="Make new recovery codes">
            <p>Without a code and without your phone you cannot sign in.</p>
          </Alert>
        )}
        <Form action={factorPaths.codes} formToken={formToken}>
          <p class="field-hint">New codes replace the ones that you have.</p>
          <Button look="plain">Make new recovery codes</Button>
        </Form>
      </Panel>
      <Panel
        title="Switch it off"
        tone="danger"
        lead="Your password alone is enough then. Your recovery codes stop working, and no browser stays trusted. To move to another phone, switch it off and set it up again."
      >
        <Form action={factorPaths.off} formToken={formToken}>
          <Button look="danger">Switch off the second factor</Button>
        </Form>
      </Panel>
    </>
  )
}

interface SetupProps extends SiteFrame {
  setup: { secret: string; sealed: string }
  otpauthUrl: string
  problem?: 'missing' | 'wrong' | undefined
}

export function setupFactorPage(props: SetupProps): string {
  const { setup, problem } = props
  return sitePage({
    ...props,
    title: problem ? 'Error: Set up your second factor' : 'Set up your second factor',
    children: (
      <>
        <PageHead title="Set up your second factor" up={UP} />
        <Panel title="1. Add the account to your app" lead="Scan this code with the app.">
          <QrCode text={props.otpauthUrl} label="QR code for your authenticator app" />
          <p>
            The app is on this device? <a href={props.otpauthUrl}>Open it</a>, or type this key into
            it:
          </p>
          <pre class="code code-wraps">
            <code>{(setup.secret.match(/.{1,4}/g) ?? []).join(' ')}</code>
          </pre>
        </Panel>
        <Panel title="2. Type the code that the app shows">
          <Form
            action={factorPaths.setup}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ setup: setup.sealed }}
          >
            <Field
              name="code"
              label="Code"
              type="text"
              autocomplete="one-time-code"
              inputmode="numeric"
              error={problem && setupErrors[problem]}
              autofocus={problem !== undefined}
            />
            <p class="field-hint">
              You will be signed out in every other browser, at every school.
            </p>
            <Button look="primary">Switch on</Button>
          </Form>
        </Panel>
      </>
    ),
  })
}

const setupErrors = {
  missing: 'Enter the code.',
  wrong: 'This is not the current code. Check that the clock of your phone is right.',
} as const

interface RecoveryCodesProps extends SiteFrame {
  codes: readonly string[]
  /** True if the second factor has just been switched on. */
  isNew: boolean
}

/** The only page that shows recovery codes. It shows them once. */
export function recoveryCodesPage(props: RecoveryCodesProps): string {
  const text = props.codes.join('\n')
  return sitePage({
    ...props,
    script: COPY_SCRIPT,
    here: factorPaths.page,
    title: 'Recovery codes',
    children: (
      <>
        <PageHead title={props.isNew ? 'Your second factor is on' : 'Your recovery codes'} />
        <section class="panel">
          <Alert tone="warning" title={`Save these ${RECOVERY_CODES} codes now`}>
            <p>
              They are shown only once. Each signs you in once if you do not have your phone. Print
              them, or save them in a password manager.
              {!props.isNew && ' The old ones no longer work.'}
            </p>
          </Alert>
          <Copyable id="codes" what="the codes">
            {text}
          </Copyable>
          <CopyStatus />
          <div class="actions">
            {/* Made in the browser: the codes are on no page that could be asked for again. */}
            <a
              class="button button-plain"
              download="recovery-codes.txt"
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
            >
              Download
            </a>
            <ButtonLink look="primary" href={factorPaths.page}>
              I have saved them
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}

const NOTICES = {
  off: 'The second factor is off. Your password alone signs you in.',
  expired: { warning: 'That took too long, so nothing was changed. Set it up again.' },
}

export function addSecondFactorRoutes(app: FastifyInstance, context: AppContext): void {
  const { keyring } = context

  app.get(factorPaths.page, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const factor = await findSecondFactor(acrossSchools(request.schoolDb), session.person.id)
    const page = secondFactorPage({
      ...visit.frame(NOTICES),
      factor,
      timeZone: request.school.timeZone,
    })
    return visit.page(page)
  })

  app.get(factorPaths.setup, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const isOn = await hasSecondFactor(acrossSchools(request.schoolDb), session.person.id)
    if (isOn) return visit.goTo(factorPaths.page)
    await requireOwnFactor(request, session)
    const setup = setUpAuthenticator(keyring, session.person.id)
    return showSetup(visit, setup)
  })

  app.post(factorPaths.setup, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, factorPaths.setup)
    const { session } = visit
    const form = visit.form()
    await requireOwnFactor(request, session)
    const typed = form.get('code') ?? ''
    const outcome = await switchOnSecondFactor(request.schoolDb, keyring, session, {
      setup: form.get('setup') ?? '',
      typed,
      requestId: request.id,
    })
    switch (outcome.kind) {
      case 'on':
        request.queuedMail = true
        rememberBrowser(context, request, reply, session.person.email, knownByCode(outcome.since))
        return showCodes(visit, outcome.codes, true)
      case 'wrong_code': {
        const problem = typed.trim() === '' ? 'missing' : 'wrong'
        return showSetup(visit, outcome.setup, problem)
      }
      case 'already_on':
        return visit.goTo(factorPaths.page)
      case 'expired':
        return visit.goTo(`${factorPaths.page}?done=expired`)
    }
  })

  app.post(factorPaths.codes, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, factorPaths.page)
    const { session } = visit
    visit.form()
    await requireOwnFactor(request, session)
    const codes = await replaceRecoveryCodes(request.schoolDb, keyring, session.person, request.id)
    if (codes === undefined) return visit.goTo(factorPaths.page)
    request.queuedMail = true
    return showCodes(visit, codes, false)
  })

  app.post(factorPaths.off, async (request, reply) => {
    const visit = await signedInVisit(context, request, reply, factorPaths.page)
    const { session } = visit
    visit.form()
    await requireOwnFactor(request, session)
    await switchOffSecondFactor(request.schoolDb, session.person, request.id)
    request.queuedMail = true
    return visit.goTo(`${factorPaths.page}?done=off`)
  })
}

function showSetup(
  visit: SignedInVisit,
  setup: AuthenticatorSetup,
  problem?: 'missing' | 'wrong',
): FastifyReply {
  const { request, session } = visit
  const page = setupFactorPage({
    ...visit.frame(),
    setup,
    otpauthUrl: otpauthUrl(setup.secret, request.school.name, session.person.email),
    problem,
  })
  return visit.page(page, problem === undefined ? 200 : 400)
}

function showCodes(visit: SignedInVisit, codes: readonly string[], isNew: boolean): FastifyReply {
  const page = recoveryCodesPage({
    ...visit.frame(),
    codes,
    isNew,
  })
  return visit.scriptedPage(COPY_SCRIPT, page)
}
