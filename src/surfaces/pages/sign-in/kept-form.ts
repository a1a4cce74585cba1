import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../../foundation/crypto/seal.ts'
import { BodyTooLargeError, RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { checkSameOriginPost } from '../../../foundation/http/cross-origin.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type FormOwner, openOwner } from '../frame/form-owner.ts'
import { isFormOf, isFormOfVisitor } from '../frame/page-request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The post shows its form again, filled in, if it has the field `show_again`. */
    showsAgain?: boolean
  }
}

/**
 * Sign-in, confirmation and consent are never sent later: they decide about what is on their page
 * now.
 */
const KEPT = /^\/(account|admin|forms|courses\/[^/]+\/lectures\/[^/]+\/comments)(\/|$|\?)/

export type Kept =
  | { readonly kind: 'kept'; readonly sealed: string }
  | { readonly kind: 'too_long' }
  /** There was no form of ours. */
  | { readonly kind: 'none' }

/** Keeps the form of a post for its person. */
export function keepForm(context: AppContext, request: FastifyRequest, page: string): Kept {
  const { keyring } = context
  const form = formIn(request)
  // The sign-in or the confirmation itself was interrupted. Another site gets no page that carries
  // what it sent.
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
 * The person that this post's form was made for, by its token. Only forms of ours count: another
 * site must not put words into a person's mouth.
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

/** More than any text that an operation takes. */
const MOST_BYTES = 256 * 1024

/** Our own fields, and what proves a person: none of it is ever kept. */
const NEVER = new Set(['form_token', 'form_owner', 'kept_form', 'otp', 'pin'])
const SECRET = /password|passphrase|passkey|secret|token|credential|proof|recovery/i

/** In the admin area `code` is the code of a coupon; everywhere else it is one that works once. */
function isLeftOut(path: string, name: string): boolean {
  if (name === 'code') return !path.startsWith('/admin/')
  return NEVER.has(name) || SECRET.test(name)
}

export type Fields = readonly (readonly [name: string, value: string])[]

export interface KeptFields {
  readonly fields: Fields
  /** Whether the person typed something that is not kept. */
  readonly leftOut: boolean
}

/** The fields of a form that are kept for its person; undefined if they are too long. */
function fieldsToKeep(path: string, form: URLSearchParams): KeptFields | undefined {
  const fields = [...form].filter(([name]) => !isLeftOut(path, name))
  const bytes = fields.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  )
  if (bytes > MOST_BYTES) return undefined
  const leftOut = [...form].some(
    ([name, value]) => !NEVER.has(name) && isLeftOut(path, name) && value !== '',
  )
  return { fields, leftOut }
}

/*
 * A form that could not be accepted, because its session had ended or its person has to confirm
 * first. It travels through the browser, sealed for the school, and comes back with the sign-in or
 * the confirmation. Nothing is stored, so strangers cannot fill a table. It is shown only to the
 * person whose form it was, and only they send it.
 */

const PURPOSE = 'kept-forms'
const LIFETIME_MS = 30 * 60 * 1000
/** The most that the kept fields can be as JSON: control characters become six times as long. */
const MOST_JSON_BYTES = 2 * 1024 * 1024

const schema = z.object({
  /** Where the form posts to, and the page that it is on. */
  path: z.string(),
  page: z.string(),
  userId: z.string(),
  fields: z.array(z.tuple([z.string(), z.string()])),
  leftOut: z.boolean(),
  /** Whether the route can show the form again with these fields. */
  showsAgain: z.boolean(),
})

export type KeptForm = Readonly<z.output<typeof schema>>

export function sealForm(
  keyring: Keyring,
  schoolId: string,
  form: KeptForm,
  now: number = Date.now(),
): string {
  return sealMessage(keyring, PURPOSE, schoolId, form, now + LIFETIME_MS)
}

/** Undefined if it is forged, another school's, or too old. */
export function openForm(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
  now: number = Date.now(),
): KeptForm | undefined {
  const opened = openMessage(keyring, PURPOSE, schoolId, sealed, now, MOST_JSON_BYTES)
  return schema.safeParse(opened).data
}

/** Sealed, the longest kept form has about 350 kB. */
const MOST_KEPT_BYTES = 512 * 1024

/**
 * The options of a route whose form may carry a kept form. Everything else in it is as short as in
 * other forms.
 */
export function withKeptForm({ limits }: AppContext) {
  return {
    bodyLimit: MOST_KEPT_BYTES,
    preHandler: async ({ body }: FastifyRequest): Promise<void> => {
      if (!(body instanceof URLSearchParams)) return
      const others = [...body].filter(([name]) => name !== 'kept_form')
      const length = others.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
      if (length > limits.formBodyBytes) throw new BodyTooLargeError(limits.formBodyBytes)
    },
  }
}
