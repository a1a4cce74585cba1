import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createApplication } from '../../../domain/clients/application-operations.ts'
import { findListedClient, listClients } from '../../../domain/clients/list-clients.ts'
import { SCOPES, SCOPES_OF_AUDIENCE } from '../../../domain/clients/scope-catalogue.ts'
import { peoplePerApp } from '../../../domain/grants/people-of-app.ts'
import type { InputProblem } from '../../../domain/operation/refusal.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { signsIdTokens } from '../../../domain/schools/signing.ts'
import { COPY_SCRIPT } from '../../../foundation/html/copyable.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage, sendScriptedPage } from '../page-request.ts'
import { withoutNul } from '../site-frame.ts'
import { applicationPath, paths } from '../views/admin/admin-page.tsx'
import type { ApplicationDraft } from '../views/admin/application-fields.tsx'
import { applicationsPage } from '../views/admin/applications.tsx'
import { newApplicationPage } from '../views/admin/new-application.tsx'
import { carrySecret } from './new-secret.ts'
import { adminFrame, FeatureOff, loadOperator, performAs } from './operator.ts'

const NOTICES = { deleted: 'The application is deleted, and its access has ended.' }

/** The scopes that an application of the admin area may have, in the order of the catalogue. */
export const MEMBER_SCOPES = SCOPES.map(({ name }) => name).filter((name) =>
  SCOPES_OF_AUDIENCE.member.has(name),
)

const EMPTY: ApplicationDraft = {
  name: '',
  redirectUris: '',
  postLogoutRedirectUris: undefined,
  scopes: ['openid', 'profile', 'email', 'account:read'],
  confidential: false,
  websiteUrl: '',
  privacyUrl: '',
}

/** Developers, OAuth applications: the member clients of a school. */
export function addApplicationRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.applications, async (request, reply) => {
    const operator = await loadOperator(request)
    checkShown(request, operator)
    const [applications, people] = await Promise.all([
      listClients(request.at, 'application'),
      peoplePerApp(request.at, 'application'),
    ])
    const frame = adminFrame(context, request, reply, operator, NOTICES)
    const { origin } = request.school
    const page = applicationsPage({ ...frame, applications, people, origin })
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })

  app.get(paths.newApplication, async (request, reply) => {
    const operator = await loadOperator(request)
    checkShown(request, operator)
    const draft = {
      ...EMPTY,
      postLogoutRedirectUris: signsIdTokens(request.school) ? '' : undefined,
    }
    return showNew(context, request, reply, operator, draft, [])
  })

  app.post(paths.applications, async (request, reply) => {
    const operator = await loadOperator(request, paths.newApplication)
    checkShown(request, operator)
    const form = checkedForm(context.keyring, request, operator)
    const draft = readDraft(form)
    const input = { ...detailsOf(draft), confidential: draft.confidential }
    const made = await performAs(request, operator, createApplication, input)
    if (made.kind === 'invalid') {
      return showNew(context, request, reply, operator, draft, made.problems, 400)
    }
    if (made.kind !== 'done') throw new Error('a random client_id was taken')
    const { client_id: clientId, client_secret: secret } = made.output
    if (secret === null) {
      return redirectTo(reply, request, 'site', `${applicationPath(clientId)}?done=created`)
    }
    const carried = { secret, rotated: false }
    carrySecret(context.keyring, request, reply, operator, clientId, carried)
    return redirectTo(reply, request, 'site', applicationPath(clientId, '/secret'))
  })
}

/** Without the beta feature the Developers area is absent; applications go on working. */
export function checkShown(request: FastifyRequest, operator: BrowserSession): void {
  if (!request.school.mcpConnections) throw new FeatureOff(operator)
}

/** An application of this school. The id of another school's application is not found. */
export async function loadApplication(request: FastifyRequest) {
  const { clientId } = request.params as { clientId: string }
  const found = await findListedClient(request.at, withoutNul(clientId))
  if (found === undefined || found.kind !== 'application') {
    throw new RequestRefusedError(404, 'There is no application with this client_id here.')
  }
  return found
}

/** The fields exactly as typed, so that the page can show them again next to their problems. */
export function readDraft(form: URLSearchParams): ApplicationDraft {
  return {
    name: form.get('name') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
    postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? undefined,
    scopes: form.getAll('scopes'),
    confidential: form.get('confidential') === 'yes',
    websiteUrl: form.get('website_url') ?? '',
    privacyUrl: form.get('privacy_url') ?? '',
  }
}

/** A field that the form does not have is left out, so that saving keeps what is stored. */
export function detailsOf({ postLogoutRedirectUris, ...draft }: ApplicationDraft) {
  return {
    name: draft.name,
    redirect_uris: linesOf(draft.redirectUris),
    ...(postLogoutRedirectUris === undefined
      ? {}
      : { post_logout_redirect_uris: linesOf(postLogoutRedirectUris) }),
    scopes: [...draft.scopes].sort(),
    website_url: draft.websiteUrl.trim() || null,
    privacy_url: draft.privacyUrl.trim() || null,
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}

function showNew(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  draft: ApplicationDraft,
  problems: readonly InputProblem[],
  status = 200,
): FastifyReply {
  const page = newApplicationPage({
    ...adminFrame(context, request, reply, operator),
    here: paths.newApplication,
    draft,
    problems,
    offered: MEMBER_SCOPES,
    variant: request.school.variant,
  })
  return sendPage(reply, request, 'site', page, status)
}
