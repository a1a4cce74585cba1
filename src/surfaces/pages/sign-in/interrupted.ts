import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import { isSessionOpen } from '../../../domain/people/sessions.ts'
import type { AppContext } from '../../../gate/context.ts'
import { redirectTo } from '../frame/page-request.ts'
import type { ProofNeeded } from '../frame/recent-proof.ts'
import type { SignInNeeded } from '../frame/session.ts'
import { type SignedInVisit, Visit, visitOf } from '../frame/visit.ts'
import { askForProof, showConfirm } from './confirm.tsx'
import { showKeptForm } from './go-on.tsx'
import { keepForm, ownerOf, readForm } from './kept-form.ts'
import { showSignIn } from './show-sign-in.tsx'

/**
 * Answers a request without a session. A form gets the sign-in page as its answer, which keeps what
 * was typed.
 */
export async function askToSignIn(
  context: AppContext,
  metadataClients: MetadataClients,
  request: FastifyRequest,
  reply: FastifyReply,
  { returnTo }: SignInNeeded,
): Promise<FastifyReply> {
  const kept = keepForm(context, request, returnTo)
  if (kept.kind === 'none') {
    const files = hasFiles(request) ? '&files=' : ''
    const place = encodeURIComponent(returnTo)
    return redirectTo(reply, request, 'site', `/sign-in?return_to=${place}${files}`)
  }
  return await showSignIn(new Visit(context, request, reply, undefined), metadataClients, {
    returnTo,
    keptForm: kept.kind === 'kept' ? kept.sealed : undefined,
    interrupted: kept.kind,
  })
}

/** The page says that files are not kept. */
function hasFiles({ method, headers }: FastifyRequest): boolean {
  return method === 'POST' && /^multipart\//i.test(headers['content-type'] ?? '')
}

const NONE = { kind: 'none' } as const

/** Answers a person who has to confirm who they are. A form is kept, as before a sign-in. */
export async function askToConfirm(
  visit: SignedInVisit,
  needed: ProofNeeded,
): Promise<FastifyReply> {
  const { context, request, reply, session } = visit
  const { returnTo, byFactor } = needed
  // Only a form of this person: what is kept is shown to them with a button that sends it.
  const isOwn = ownerOf(context, request)?.userId === session.person.id
  const kept = isOwn ? keepForm(context, request, returnTo) : NONE
  if (kept.kind === 'none') return askForProof(request, reply, needed)
  return await showConfirm(visit, {
    returnTo,
    byFactor,
    keptForm: kept.kind === 'kept' ? kept.sealed : undefined,
    interrupted: kept.kind,
  })
}

/**
 * A form of a session that has ended, sent by the same person in a newer session: they signed in
 * again, or changed the password, in another tab. Undefined for any other form, which is refused.
 */
export async function findOwnForm(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const owner = ownerOf(context, request)
  if (owner === undefined) return undefined
  const visit = await visitOf(context, request, reply)
  const { session } = visit
  if (session?.person.id !== owner.userId || session.id === owner.sessionId) return undefined
  if (await isSessionOpen(request.schoolDb, owner.sessionId)) return undefined
  const kept = readForm(request, owner, request.returnTo ?? '/account')
  return kept === undefined ? undefined : showKeptForm(visit, session, kept)
}
