import type { FastifyRequest } from 'fastify'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { checkSameOriginPost } from '../../../foundation/http/cross-origin.ts'
import type { AppContext } from '../../../gate/context.ts'
import { isFormOf, isFormOfVisitor } from '../page-request.ts'
import { type FormOwner, openOwner } from './form-owner.ts'
import { fieldsToKeep } from './kept-fields.ts'
import { type KeptForm, sealForm } from './kept-form.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The post shows its form again, filled in, if it has the field `show_again`. */
    showsAgain?: boolean
  }
}

/** Sign-in, confirmation and consent are never sent later: they decide about what is on their page now. */
const KEPT = /^\/(account|admin|forms)(\/|$|\?)/

export type Kept =
  | { readonly kind: 'kept'; readonly sealed: string }
  | { readonly kind: 'too_long' }
  /** There was no form of ours. */
  | { readonly kind: 'none' }

/** Keeps the form of a post for its person. */
export function keepForm(context: AppContext, request: FastifyRequest, page: string): Kept {
  const { keyring } = context
  const form = formIn(request)
  // The sign-in or the confirmation itself was interrupted. Another site gets no page that carries what it sent.
  const earlier = form?.get('kept_form')
  if (earlier)
    return isOwnForm(context, request) ? { kind: 'kept', sealed: earlier } : { kind: 'none' }
  const owner = ownerOf(context, request)
  if (owner === undefined) return { kind: 'none' }
  const kept = readForm(request, owner, page)
  if (kept === undefined) return { kind: 'too_long' }
  return { kind: 'kept', sealed: sealForm(keyring, request.school.id, kept) }
}

/** The form of a post, as it would be kept; undefined if it is too long. */
export function readForm(
  request: FastifyRequest,
  { userId }: FormOwner,
  page: string,
): KeptForm | undefined {
  const path = request.raw.url ?? ''
  const kept = fieldsToKeep(path, formIn(request) ?? new URLSearchParams())
  if (kept === undefined) return undefined
  const fields = kept.fields.map(([name, value]): [string, string] => [name, value])
  const showsAgain = request.routeOptions.config.showsAgain === true
  return { path, page, userId, fields, leftOut: kept.leftOut, showsAgain }
}

/**
 * The person that this post's form was made for, by its token. Only forms of ours count: another site must not put words
 * into a person's mouth.
 */
export function ownerOf({ keyring }: AppContext, request: FastifyRequest): FormOwner | undefined {
  const form = formIn(request)
  if (form === undefined || !KEPT.test(request.raw.url ?? '') || isForeign(request))
    return undefined
  // The answer of a device fits only the form that asked for it.
  if (form.has('passkey')) return undefined
  const owner = openOwner(keyring, request.school.id, form.get('form_owner') ?? '')
  if (owner === undefined) return undefined
  return isFormOf(keyring, form, owner.sessionId) ? owner : undefined
}

/** Whether this browser was given the form, by a session that may have ended, or before one. */
function isOwnForm({ keyring }: AppContext, request: FastifyRequest): boolean {
  const form = formIn(request)
  if (form === undefined || isForeign(request)) return false
  const owner = openOwner(keyring, request.school.id, form.get('form_owner') ?? '')
  const isOfSession = owner !== undefined && isFormOf(keyring, form, owner.sessionId)
  return isOfSession || isFormOfVisitor(keyring, request, form)
}

/** A form with files has another body, and files are never kept. */
function formIn({ method, body }: FastifyRequest): URLSearchParams | undefined {
  return method === 'POST' && body instanceof URLSearchParams ? body : undefined
}

function isForeign({ headers, school }: FastifyRequest): boolean {
  try {
    checkSameOriginPost(headers, school.origin)
    return false
  } catch (error) {
    if (error instanceof RequestRefusedError) return true
    throw error
  }
}
