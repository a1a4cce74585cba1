import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFactorPlaces } from '../../../domain/people/factors/demand.ts'
import { describeDevice } from '../../../domain/people/known-device.ts'
import {
  type Adding,
  addPasskey,
  askForPasskey,
  type PasskeyQuestion,
} from '../../../domain/people/passkeys/add-passkey.ts'
import {
  type PasskeysOfPerson,
  passkeyName,
  passkeysOf,
  type Removal,
  removePasskey,
  renamePasskey,
} from '../../../domain/people/passkeys/passkeys.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendScriptedPage } from '../page-request.ts'
import { challengeFormOf } from '../passkey-form.ts'
import { frameFor } from '../site-frame.ts'
import { isRecent, requireOwnFactor } from '../step-up/recent-proof.ts'
import { SETTINGS_PATH } from '../views/account-paths.ts'
import { PASSKEY_SCRIPT } from '../views/passkey-parts.tsx'
import { PASSKEYS_PATH as PATH, passkeysPage } from '../views/passkeys.tsx'
import type { SiteFrame } from '../views/site-layout.tsx'

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
  app.get(PATH, async (request, reply) => {
    const session = await loadProvenSession(request)
    return await show(context, request, reply, session)
  })

  app.post(PATH, async (request, reply) => {
    const session = await loadProvenSession(request)
    const form = checkedForm(context.keyring, request, session)
    const outcome = await addPasskey(request.at, {
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
    const place = from === undefined ? `${PATH}?done=${outcome}` : `${from}?done=passkey`
    return redirectTo(reply, request, 'site', place)
  })

  app.post(`${PATH}/:id/rename`, async (request, reply) => {
    const session = await loadProvenSession(request)
    const form = checkedForm(context.keyring, request, session)
    const typed = form.get('name') ?? ''
    const name = passkeyName(typed, 'Passkey')
    const mine = oneOf(session, request)
    const renamed = mine !== undefined && (await renamePasskey(request.at, mine, name))
    return redirectTo(reply, request, 'site', `${PATH}?done=${renamed ? 'renamed' : 'unknown'}`)
  })

  app.post(`${PATH}/:id/remove`, async (request, reply) => {
    const session = await loadProvenSession(request)
    checkedForm(context.keyring, request, session)
    const mine = oneOf(session, request)
    const device = describeDevice(request.headers['user-agent'])
    const outcome =
      mine === undefined ? 'unknown' : await removePasskey(request.at, { ...mine, device })
    if (outcome === 'removed') request.queuedMail = true
    return redirectTo(reply, request, 'site', `${PATH}?done=${outcome}`)
  })
}

/**
 * A thief with nothing but the session must not leave a passkey behind, or take the person's away; nor a thief of the
 * password, if the person has a passkey or an authenticator app.
 */
async function loadProvenSession(request: FastifyRequest): Promise<BrowserSession> {
  const session = await loadBrowserSession(request, PATH)
  await requireOwnFactor(request, session)
  return session
}

function oneOf({ person }: BrowserSession, { params, id: requestId }: FastifyRequest) {
  const { id } = params as { id: string }
  return isUuid(id) ? { person, id, requestId } : undefined
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
): Promise<FastifyReply> {
  const mine = await passkeysOf(request.at, session.person.id)
  const frame = frameFor(context, request, reply, session, NOTICES)
  const page = passkeysPage({
    ...frame,
    passkeys: mine.passkeys,
    question: askToMake(context, request, session, mine, { ...frame, silent: false }),
    known: acceptedCredentials(context, request, mine),
    timeZone: request.school.timeZone,
  })
  return sendScriptedPage(reply, request, 'site', PASSKEY_SCRIPT, page)
}

/** A password that was typed longer ago is no reason for the browser to offer a passkey instead. */
const SILENT_MINUTES = 5

/**
 * Whether the browser may make a passkey without a question: just after a sign-in with a password, and never again for a
 * person who had one here, who may have removed it on purpose.
 */
function mayMakeSilently(session: BrowserSession, { handle }: PasskeysOfPerson): boolean {
  const minutes = (session.readAt.getTime() - session.authenticatedAt.getTime()) / 60_000
  return handle === undefined && session.methods.includes('password') && minutes < SILENT_MINUTES
}

/** What the pages that offer one show about passkeys. */
export async function offerPasskey(
  context: AppContext,
  request: FastifyRequest,
  session: BrowserSession,
  known: PasskeysOfPerson,
  frame: SiteFrame,
) {
  const silent = mayMakeSilently(session, known)
  const mayAsk = isRecent(session) && (await findFactorPlaces(request.at, session)) === undefined
  const question = mayAsk
    ? askToMake(context, request, session, known, { ...frame, silent })
    : undefined
  return { count: known.passkeys.length, question, silent }
}

function askToMake(
  context: AppContext,
  request: FastifyRequest,
  { person }: BrowserSession,
  known: PasskeysOfPerson,
  { viewer, silent }: SiteFrame & { readonly silent: boolean },
): PasskeyQuestion {
  return askForPasskey(challengeFormOf(context, request, viewer?.formToken ?? ''), {
    party: relyingPartyOf(request.school.origin, context.passkeys),
    schoolName: plainText(request.school.name) || 'School',
    person: { ...person, name: plainText(person.name) },
    ...{ known, silent },
  })
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
