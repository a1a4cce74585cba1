import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type AfterSignIn, placeAfterSignIn } from '../after-sign-in.ts'
import { formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { keptFormPage } from '../views/kept-form.tsx'
import { type KeptForm, openForm } from './kept-form.ts'

type Person = Pick<BrowserSession, 'id' | 'person'>

/** After a sign-in or a confirmation: shows the person the form that they sent before, or redirects. */
export function goOn(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Person & Pick<BrowserSession, 'roles'>,
  after: AfterSignIn,
): FastifyReply {
  const kept = openForm(context.keyring, request.school.id, after.keptForm)
  // Signed in as another person: the form is dropped without a word about it.
  if (kept === undefined || kept.userId !== session.person.id) {
    return redirectTo(reply, request, 'authorization', placeAfterSignIn(after, session.roles))
  }
  return showKeptForm(context, request, reply, session, kept)
}

/** The form with everything that was typed. Only the person sends it. */
export function showKeptForm(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Person,
  kept: KeptForm,
): FastifyReply {
  const page = keptFormPage({
    school: brandingOf(request.school),
    here: kept.page,
    viewer: {
      // A form of the admin area: its route checks the role when the form is sent.
      operator: kept.path.startsWith('/admin'),
      formToken: formTokenFor(context.keyring, request, reply, session),
    },
    kept,
  })
  return sendPage(reply, request, 'site', page)
}
