import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import type { OutlineCache } from '../../domain/learning/outline.ts'
import { isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import {
  errorPage,
  nothingHerePage,
  ourFaultPage,
  unavailablePage,
} from '../../foundation/html/error-page.tsx'
import { findClientFault, RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { ForgedPostError } from '../../foundation/http/cross-origin.ts'
import { logFailure } from '../../foundation/http/last-resort.ts'
import { nameSurface } from '../../foundation/http/observe-requests.ts'
import { acceptForms, rawPath } from '../../foundation/http/request-body.ts'
import { FileStoreAwayError } from '../../foundation/storage/file-store.ts'
import { brandingOf } from '../../gate/branding.ts'
import type { AppContext } from '../../gate/context.ts'
import { addMemberAssistantRoutes } from './account/assistants.ts'
import { addConnectedAppRoutes } from './account/connected-apps.ts'
import { addDataRoutes } from './account/data.ts'
import { addDeletionRoutes } from './account/delete-account.ts'
import { addEmailRoutes } from './account/email.ts'
import { addEmailChangeRoutes } from './account/email-change.ts'
import { addForgottenPasswordRoutes } from './account/forgotten-password.ts'
import { addHistoryRoutes } from './account/history.ts'
import { addMemberHomeRoutes } from './account/home.ts'
import { addInboxRoutes } from './account/inbox.ts'
import { addInvitationRoutes } from './account/invitation.ts'
import { addMemberListRoutes } from './account/lists.ts'
import { addNotMeRoutes } from './account/not-me.ts'
import { addPasskeyRoutes } from './account/passkeys.ts'
import { addPasswordRoutes } from './account/password.ts'
import { addPaymentRoutes } from './account/payments.ts'
import { addProfileRoutes } from './account/profile.ts'
import { addSessionRoutes } from './account/sessions.ts'
import { addSettingsRoutes } from './account/settings.ts'
import { addShortPasswordRoutes } from './account/short-password.ts'
import { addAdminRoutes } from './admin/admin.ts'
import { addPublicLogoRoute } from './admin/application-logo.ts'
import { adminFrame, FeatureOff, NotOperator } from './admin/operator.ts'
import { addThemeRoute } from './assets.ts'
import { MemberNeeded, SignInNeeded } from './browser-session.ts'
import { addConsentRoutes } from './consent.ts'
import { addDocsRoutes } from './docs/docs.ts'
import { addMachineDocuments } from './docs/machine-documents.ts'
import { addEndSessionRoutes } from './end-session.ts'
import { addCourseRoutes } from './home/courses.ts'
import { addEventRoutes } from './home/events.ts'
import { addFileRoute } from './home/files.ts'
import { addFormRoutes } from './home/forms.ts'
import { addHomeRoutes } from './home/home.ts'
import { addLectureRoutes } from './home/lectures.ts'
import { addPublicListRoutes } from './home/lists.ts'
import { addOfferRoutes } from './home/offers.ts'
import { addWritingRoutes } from './home/writing.ts'
import { askToConfirm, askToSignIn, findOwnForm } from './kept-forms/interrupted.ts'
import { addMailSender } from './mails/mail-sender.ts'
import { redirectTo, sendPage } from './page-request.ts'
import { addSecondFactorRoutes } from './second-factor/account-page.ts'
import { addOtherSchoolRoutes, answerFactorElsewhere } from './second-factor/factor-elsewhere.ts'
import { answerFactorNeeded, FactorNeeded } from './second-factor/factor-needed.ts'
import { addLostFactorRoutes } from './second-factor/lost-factor.ts'
import { addSignInCodeRoutes } from './second-factor/sign-in-code.ts'
import { startOfSection } from './section.ts'
import { addSignInRoutes } from './sign-in.ts'
import { addPasskeySignInRoutes } from './sign-in-passkey.ts'
import { addSignOutRoutes } from './sign-out.ts'
import { addSignUpRoutes } from './sign-up/sign-up.ts'
import { frameFor } from './site-frame.ts'
import { addConfirmRoutes } from './step-up/confirm.ts'
import { addPasskeyConfirmRoutes } from './step-up/confirm-passkey.ts'
import { FactorElsewhere, ProofNeeded } from './step-up/recent-proof.ts'
import { adminOnlyPage } from './views/admin/admin-only.tsx'
import { developersOffPage } from './views/admin/developers-off.tsx'

/** All HTML pages. */
export function addPageRoutes(
  app: FastifyInstance,
  context: AppContext,
  documents: MetadataClients,
  outlines: OutlineCache,
): void {
  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    scope.setErrorHandler((error, request, reply) =>
      answerPageError(context, documents, error, request, reply),
    )
    acceptForms(scope, parseForm, context.limits.formBodyBytes)
    scope.decorateRequest('returnTo')
    addThemeRoute(scope)
    addMailSender(scope, context)
    addSignInRoutes(scope, context, documents)
    addPasskeySignInRoutes(scope, context, documents)
    addSignInCodeRoutes(scope, context)
    addShortPasswordRoutes(scope, context)
    addConfirmRoutes(scope, context)
    addPasskeyConfirmRoutes(scope, context)
    addSignUpRoutes(scope, context)
    addSignOutRoutes(scope, context)
    addEndSessionRoutes(scope, context)
    addConsentRoutes(scope, context, documents)
    addPublicLogoRoute(scope)
    if (context.files !== undefined) addFileRoute(scope, context.files)
    addHomeRoutes(scope, context)
    addPublicListRoutes(scope, context)
    addWritingRoutes(scope, context)
    addEventRoutes(scope, context)
    addCourseRoutes(scope, context, outlines)
    addFormRoutes(scope, context)
    addOfferRoutes(scope, context)
    addLectureRoutes(scope, context, outlines)
    addDocsRoutes(scope, context, documents)
    addMachineDocuments(scope, context, documents)
    addMemberHomeRoutes(scope, context, outlines)
    addMemberListRoutes(scope, context, outlines)
    addPaymentRoutes(scope, context)
    addInboxRoutes(scope, context)
    addSettingsRoutes(scope, context)
    addConnectedAppRoutes(scope, context)
    addMemberAssistantRoutes(scope, context)
    addProfileRoutes(scope, context)
    addEmailRoutes(scope, context)
    addEmailChangeRoutes(scope, context)
    addPasswordRoutes(scope, context)
    addPasskeyRoutes(scope, context)
    addSecondFactorRoutes(scope, context)
    addLostFactorRoutes(scope, context)
    addOtherSchoolRoutes(scope, context)
    addDataRoutes(scope, context)
    addDeletionRoutes(scope, context)
    addForgottenPasswordRoutes(scope, context)
    addInvitationRoutes(scope, context)
    addNotMeRoutes(scope, context)
    addSessionRoutes(scope, context)
    addHistoryRoutes(scope, context)
    addAdminRoutes(scope, context)
  })
}

/** More than any form of ours has. Many short fields cost much more than their bytes. */
const MOST_FIELDS = 5000

function parseForm(text: string): URLSearchParams {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields += 1
  if (fields > MOST_FIELDS) throw new RequestRefusedError(400, 'The form has too many fields.')
  return new URLSearchParams(text)
}

async function answerPageError(
  context: AppContext,
  documents: MetadataClients,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (error instanceof SignInNeeded) {
    return await askToSignIn(context, documents, request, reply, error)
  }
  if (error instanceof MemberNeeded) return redirectTo(reply, request, 'site', '/account')
  if (error instanceof ProofNeeded) return await askToConfirm(context, request, reply, error)
  if (error instanceof FactorElsewhere) return answerFactorElsewhere(context, request, reply, error)
  if (error instanceof ForgedPostError) {
    const answered = await findOwnForm(context, request, reply)
    if (answered !== undefined) return answered
  }
  if (error instanceof NotOperator) {
    const { session } = error
    const frame = frameFor(context, request, reply, session)
    return sendPage(reply, request, 'site', adminOnlyPage({ ...frame, roles: session.roles }), 403)
  }
  if (error instanceof FactorNeeded) {
    return await answerFactorNeeded(context, request, reply, error)
  }
  if (error instanceof FeatureOff) {
    const page = developersOffPage(adminFrame(context, request, reply, error.operator))
    return sendPage(reply, request, 'site', page, 404)
  }
  const place = { reference: request.id, school: brandingOf(request.school) }
  const fault = findClientFault(error)
  if (fault?.status === 404) {
    const from = startOfSection(rawPath(request.raw.url ?? '/'))
    const page = nothingHerePage({ ...place, what: fault.description, from })
    return sendPage(reply, request, 'authorization', page, 404)
  }
  if (fault !== undefined) {
    const page = errorPage({
      ...place,
      title: 'Something went wrong',
      what: fault.description,
      next: 'Go back, reload the page and try again.',
    })
    return sendPage(reply, request, 'authorization', page, fault.status)
  }
  logFailure(request, error)
  const filesAway = error instanceof FileStoreAwayError
  if (filesAway || isDatabaseUnavailable(error)) {
    reply.header('retry-after', 5)
    const page = unavailablePage({ ...place, missing: filesAway ? 'files' : 'database' })
    return sendPage(reply, request, 'authorization', page, 503)
  }
  return sendPage(reply, request, 'authorization', ourFaultPage(place), 500)
}
