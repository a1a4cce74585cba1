import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../domain/clients/metadata-clients.ts'
import type { OutlineCache } from '../../domain/learning/outline.ts'
import type { BrowserSession } from '../../domain/people/sessions.ts'
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
import { addMemberAssistantRoutes } from './account/assistants.tsx'
import { addCalendarRoutes } from './account/calendar.tsx'
import { addConnectedAppRoutes } from './account/connected-apps.tsx'
import { addDataRoutes } from './account/data.tsx'
import { addDeletionRoutes } from './account/delete-account.tsx'
import { addEmailRoutes } from './account/email.tsx'
import { addEmailChangeRoutes } from './account/email-change.tsx'
import { addHistoryRoutes } from './account/history.tsx'
import { addNotificationRoutes } from './account/notifications.tsx'
import { addPasskeyRoutes } from './account/passkeys.tsx'
import { addPasswordRoutes } from './account/password.tsx'
import { addProfileRoutes } from './account/profile.tsx'
import { addSecondFactorRoutes } from './account/second-factor.tsx'
import { addSessionRoutes } from './account/sessions.tsx'
import { addSettingsRoutes } from './account/settings.tsx'
import { addUnsubscribeRoutes } from './account/unsubscribe.tsx'
import { addAdminRoutes } from './admin/admin.ts'
import { addPublicLogoRoute } from './admin/apps/application-logo.tsx'
import { FeatureOff, NotOperator, OperatorVisit } from './admin/frame/operator.ts'
import { adminOnlyPage, developersOffPage } from './admin/frame/question-page.tsx'
import { addConsentRoutes } from './consent/consent.tsx'
import { addEndSessionRoutes, addSignOutRoutes } from './consent/sign-out.tsx'
import { addDocsRoutes } from './developers/docs.tsx'
import { addMachineDocuments } from './developers/machine-documents.ts'
import { addThemeRoute } from './frame/files.ts'
import { startOfSection } from './frame/layout.tsx'
import { redirectTo, sendPage } from './frame/page-request.ts'
import { FactorElsewhere, ProofNeeded } from './frame/recent-proof.ts'
import { MemberNeeded, SignInNeeded } from './frame/session.ts'
import { Visit } from './frame/visit.ts'
import { addMailSender } from './mails/mail-sender.ts'
import { addBookingRoutes } from './member/bookings.tsx'
import { addMemberHomeRoutes } from './member/home.tsx'
import { addInboxRoutes } from './member/inbox.tsx'
import { addMemberListRoutes } from './member/lists.tsx'
import { addPaymentRoutes } from './member/payments.tsx'
import { addConfirmRoutes } from './sign-in/confirm.tsx'
import { addOtherSchoolRoutes, answerFactorElsewhere } from './sign-in/factor-elsewhere.tsx'
import { answerFactorNeeded, FactorNeeded } from './sign-in/factor-needed.tsx'
import { signUpLink } from './sign-in/finish-sign-up.tsx'
import { addFirstPasswordRoutes } from './sign-in/first-password.tsx'
import { addForgottenPasswordRoutes } from './sign-in/forgotten-password.tsx'
import { askToConfirm, askToSignIn, findOwnForm } from './sign-in/interrupted.ts'
import { invitation } from './sign-in/invitation.tsx'
import { addLostFactorRoutes } from './sign-in/lost-factor.tsx'
import { addNotMeRoutes } from './sign-in/not-me.tsx'
import { addShortPasswordRoutes } from './sign-in/short-password.tsx'
import { addSignInRoutes } from './sign-in/sign-in.ts'
import { addSignInCodeRoutes } from './sign-in/sign-in-code.tsx'
import { addPasskeyConfirmRoutes, addPasskeySignInRoutes } from './sign-in/sign-in-passkey.ts'
import { addSignUpRoutes } from './sign-in/sign-up.tsx'
import { addCourseRoutes } from './site/courses.tsx'
import { addEventRoutes } from './site/events.tsx'
import { addFormRoutes } from './site/forms.tsx'
import { addFileRoute, addHomeRoutes } from './site/home.tsx'
import { addLectureRoutes } from './site/lectures.tsx'
import { addPublicListRoutes } from './site/lists.tsx'
import { addOfferRoutes } from './site/offers.tsx'
import { addSiteSearchRoute } from './site/search.tsx'
import { addSitemapRoutes } from './site/sitemap.ts'
import { addWritingRoutes } from './site/writing.tsx'

/** All HTML pages. */
export function addPageRoutes(
  app: FastifyInstance,
  context: AppContext,
  metadataClients: MetadataClients,
  outlines: OutlineCache,
): void {
  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    scope.setErrorHandler((error, request, reply) =>
      answerPageError(context, metadataClients, error, request, reply),
    )
    acceptForms(scope, parseForm, context.limits.formBodyBytes)
    scope.decorateRequest('returnTo')
    addThemeRoute(scope)
    addMailSender(scope, context)
    addSignInRoutes(scope, context, metadataClients)
    addPasskeySignInRoutes(scope, context, metadataClients)
    addSignInCodeRoutes(scope, context)
    addShortPasswordRoutes(scope, context)
    addConfirmRoutes(scope, context)
    addPasskeyConfirmRoutes(scope, context)
    addSignUpRoutes(scope, context)
    addSignOutRoutes(scope, context)
    addEndSessionRoutes(scope, context)
    addConsentRoutes(scope, context, metadataClients)
    addPublicLogoRoute(scope)
    if (context.files !== undefined) addFileRoute(scope, context.files)
    addHomeRoutes(scope, context)
    addPublicListRoutes(scope, context)
    addSiteSearchRoute(scope, context)
    addSitemapRoutes(scope)
    addWritingRoutes(scope, context)
    addEventRoutes(scope, context)
    addCourseRoutes(scope, context, outlines)
    addFormRoutes(scope, context)
    addOfferRoutes(scope, context)
    addLectureRoutes(scope, context, outlines)
    addDocsRoutes(scope, context, metadataClients)
    addMachineDocuments(scope, context, metadataClients)
    addMemberHomeRoutes(scope, context, outlines)
    addMemberListRoutes(scope, context, outlines)
    addBookingRoutes(scope, context)
    addPaymentRoutes(scope, context)
    addInboxRoutes(scope, context)
    addSettingsRoutes(scope, context)
    addConnectedAppRoutes(scope, context)
    addMemberAssistantRoutes(scope, context)
    addNotificationRoutes(scope, context)
    addCalendarRoutes(scope, context)
    addUnsubscribeRoutes(scope, context)
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
    addFirstPasswordRoutes(scope, context, invitation)
    addFirstPasswordRoutes(scope, context, signUpLink)
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
  metadataClients: MetadataClients,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (error instanceof SignInNeeded) {
    return await askToSignIn(context, metadataClients, request, reply, error)
  }
  const visitBy = (session: BrowserSession) => new Visit(context, request, reply, session)
  if (error instanceof MemberNeeded) return redirectTo(reply, request, 'site', '/account')
  if (error instanceof ProofNeeded) return await askToConfirm(visitBy(error.session), error)
  if (error instanceof FactorElsewhere) return answerFactorElsewhere(visitBy(error.session), error)
  if (error instanceof ForgedPostError) {
    const answered = await findOwnForm(context, request, reply)
    if (answered !== undefined) return answered
  }
  if (error instanceof NotOperator) {
    const { session } = error
    const visit = visitBy(session)
    return visit.page(adminOnlyPage({ ...visit.frame(), roles: session.roles }), 403)
  }
  if (error instanceof FactorNeeded) return await answerFactorNeeded(visitBy(error.session))
  if (error instanceof FeatureOff) {
    const visit = new OperatorVisit(context, request, reply, error.operator)
    return visit.page(developersOffPage(visit.frame()), 404)
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
