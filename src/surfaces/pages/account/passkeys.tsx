import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeDevice } from '../../../domain/people/known-device.ts'
import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import {
  type Adding,
  addPasskey,
  type PasskeyQuestion,
} from '../../../domain/people/passkeys/add-passkey.ts'
import {
  LONGEST_NAME,
  MOST_PASSKEYS,
  type Passkey,
  type PasskeysOfPerson,
  passkeyName,
  passkeysOf,
  type Removal,
  removePasskey,
  renamePasskey,
} from '../../../domain/people/passkeys/passkeys.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Labelled } from '../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { askToMake, PasskeyMaker } from '../frame/passkey-maker.tsx'
import { challengeFormOf, PASSKEY_SCRIPT, PasskeyUnable } from '../frame/passkey-parts.tsx'
import { PASSKEYS_PATH, TO_SETTINGS } from '../frame/paths.ts'
import { requireOwnFactor } from '../frame/recent-proof.ts'
import { type SignedInVisit, signedInVisit } from '../frame/visit.ts'

interface PasskeysProps extends SiteFrame {
  passkeys: readonly Passkey[]
  question: PasskeyQuestion
  /** What the browser is told about the passkeys that exist; absent before the first one. */
  known: object | undefined
  timeZone: string
}

export function passkeysPage(props: PasskeysProps): string {
  const { passkeys, known } = props
  const here = <Name text={props.school.name} fallback="this school" />
  return sitePage({
    ...props,
    title: 'Passkeys',
    script: PASSKEY_SCRIPT,
    children: (
      <>
        <PageHead
          title="Passkeys"
          lead="Sign in with your fingerprint, your face or the PIN of your device, without a password."
          up={TO_SETTINGS}
        />
        <section
          class="panel"
          aria-label="Your passkeys"
          data-passkeys-known={known === undefined ? undefined : JSON.stringify(known)}
        >
          {passkeys.length === 0 ? (
            <Empty>
              <p>You have no passkey here.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {passkeys.map((passkey) => (
                <One {...props} passkey={passkey} />
              ))}
            </ul>
          )}
          <p class="row-note">
            A passkey is for {here} only. Another school needs its own, even if you use the same
            account there.
          </p>
        </section>
        <Panel title="Add a passkey">
          {passkeys.length >= MOST_PASSKEYS ? (
            <p>You have {MOST_PASSKEYS} passkeys. Remove one to add another.</p>
          ) : (
            <>
              <PasskeyUnable>This page cannot make one here</PasskeyUnable>
              <PasskeyMaker formToken={props.viewer?.formToken ?? ''} question={props.question} />
            </>
          )}
        </Panel>
      </>
    ),
  })
}

function One({ passkey, timeZone, viewer }: PasskeysProps & { passkey: Passkey }) {
  const formToken = viewer?.formToken ?? ''
  const name = plainText(passkey.name, LONGEST_NAME) || 'Passkey'
  const path = `${PASSKEYS_PATH}/${passkey.id}`
  const inputId = `name-${passkey.id}`
  return (
    <li>
      <div>
        <p class="row-title">
          <bdi>{name}</bdi> <Badge>{passkey.isSynced ? 'Synced' : 'On one device'}</Badge>
          {passkey.isCloned && <Badge tone="warning">Switched off</Badge>}
        </p>
        <p class="row-note">
          Made <Moment at={passkey.createdAt} timeZone={timeZone} />
          {' · '}
          {passkey.lastUsedAt === undefined ? (
            'not used yet'
          ) : (
            <>
              last used <Moment at={passkey.lastUsedAt} timeZone={timeZone} />
            </>
          )}
        </p>
        {passkey.isCloned && (
          <p class="row-note">
            This passkey may have been copied, so you can no longer sign in with it. Remove it and
            make a new one.
          </p>
        )}
        <details>
          <summary>
            Rename<span class="visually-hidden"> {name}</span>
          </summary>
          <Form action={`${path}/rename`} formToken={formToken}>
            <Labelled id={inputId} label="Name">
              <input
                type="text"
                id={inputId}
                name="name"
                value={name}
                maxLength={LONGEST_NAME}
                autocomplete="off"
                dir="auto"
                required
              />
            </Labelled>
            <Button look="plain">Save name</Button>
          </Form>
        </details>
      </div>
      <Form action={`${path}/remove`} formToken={formToken}>
        <Button look="plain">
          Remove<span class="visually-hidden"> {name}</span>
        </Button>
      </Form>
    </li>
  )
}

const NOTICES = {
  added: 'Your passkey is ready. You can sign in with it from now on.',
  renamed: 'The name was changed.',
  removed: 'Removed. It can no longer sign you in here. You may have to delete it on your device.',
  unknown: { warning: 'That passkey had already been removed.' },
  last_way_in: {
    warning:
      'This passkey is your only way to sign in here, so it was not removed. Add another one or set a password first.',
  },
  expired: { warning: 'The page was open for too long, so no passkey was added. Try again.' },
  refused: { warning: 'Your device sent an answer that does not fit. No passkey was added.' },
  known: { warning: 'That passkey is on your list already.' },
  too_many: { warning: 'You have as many passkeys as this school keeps. Remove one first.' },
} satisfies Record<Adding | Removal | 'renamed', unknown>

/** The pages that offer to make the first one, by the name in their form. */
const OFFERED_ON: ReadonlyMap<string, string> = new Map([
  ['account', '/account'],
  ['settings', SETTINGS_PATH],
])

export function addPasskeyRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PASSKEYS_PATH, async (request, reply) => {
    return await show(await provenVisit(context, request, reply))
  })

  app.post(PASSKEYS_PATH, async (request, reply) => {
    const visit = await provenVisit(context, request, reply)
    const { session } = visit
    const form = visit.form()
    const outcome = await addPasskey(request.schoolDb, {
      form: challengeFormOf(context, request, form.get('form_token') ?? ''),
      party: relyingPartyOf(request.school.origin, context.passkeys),
      person: session.person,
      sealed: form.get('passkey_challenge') ?? undefined,
      answer: form.get('passkey') ?? '',
      device: describeDevice(request.headers['user-agent']),
      requestId: request.id,
    })
    if (outcome === 'added') request.queuedMail = true
    const from = outcome === 'added' ? OFFERED_ON.get(form.get('from') ?? '') : undefined
    const place = from === undefined ? `${PASSKEYS_PATH}?done=${outcome}` : `${from}?done=passkey`
    return visit.goTo(place)
  })

  app.post(`${PASSKEYS_PATH}/:id/rename`, async (request, reply) => {
    const visit = await provenVisit(context, request, reply)
    const { session } = visit
    const form = visit.form()
    const typed = form.get('name') ?? ''
    const name = passkeyName(typed, 'Passkey')
    const mine = oneOf(session, request)
    const renamed = mine !== undefined && (await renamePasskey(request.schoolDb, mine, name))
    return visit.goTo(`${PASSKEYS_PATH}?done=${renamed ? 'renamed' : 'unknown'}`)
  })

  app.post(`${PASSKEYS_PATH}/:id/remove`, async (request, reply) => {
    const visit = await provenVisit(context, request, reply)
    const { session } = visit
    visit.form()
    const mine = oneOf(session, request)
    const device = describeDevice(request.headers['user-agent'])
    const outcome =
      mine === undefined ? 'unknown' : await removePasskey(request.schoolDb, { ...mine, device })
    if (outcome === 'removed') request.queuedMail = true
    return visit.goTo(`${PASSKEYS_PATH}?done=${outcome}`)
  })
}

/**
 * A thief with nothing but the session must not leave a passkey behind, or take the person's away;
 * nor a thief of the password, if the person has a passkey or an authenticator app.
 */
async function provenVisit(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedInVisit> {
  const visit = await signedInVisit(context, request, reply, PASSKEYS_PATH)
  await requireOwnFactor(request, visit.session)
  return visit
}

function oneOf({ person }: BrowserSession, { params, id: requestId }: FastifyRequest) {
  const { id } = params as { id: string }
  return isUuid(id) ? { person, id, requestId } : undefined
}

async function show(visit: SignedInVisit): Promise<FastifyReply> {
  const { request, session, context } = visit
  const mine = await passkeysOf(request.schoolDb, session.person.id)
  const frame = visit.frame(NOTICES)
  const page = passkeysPage({
    ...frame,
    passkeys: mine.passkeys,
    question: askToMake(visit, mine, { ...frame, silent: false }),
    known: acceptedCredentials(context, request, mine),
    timeZone: request.school.timeZone,
  })
  return visit.scriptedPage(PASSKEY_SCRIPT, page)
}

/** @see WebAuthn Level 3 §5.1.10.3, signalAllAcceptedCredentials */
function acceptedCredentials(
  context: AppContext,
  request: FastifyRequest,
  { handle, passkeys }: PasskeysOfPerson,
): object | undefined {
  if (handle === undefined) return undefined
  return {
    rpId: relyingPartyOf(request.school.origin, context.passkeys).id,
    userId: handle.toString('base64url'),
    allAcceptedCredentialIds: passkeys.map((one) => one.credentialId.toString('base64url')),
  }
}
