import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  changeApplication,
  deleteApplication,
  endOldSecret,
  rotateSecret,
} from '../../../domain/clients/application-operations.ts'
import type { ListedClient } from '../../../domain/clients/list-clients.ts'
import { countPeopleOfApp } from '../../../domain/grants/people-of-app.ts'
import type { InputProblem } from '../../../domain/operation/refusal.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { signsIdTokens } from '../../../domain/schools/signing.ts'
import { COPY_SCRIPT } from '../../../foundation/html/copyable.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage, sendScriptedPage } from '../page-request.ts'
import { applicationPath, paths } from '../views/admin/admin-page.tsx'
import { applicationPage } from '../views/admin/application.tsx'
import { APPLICATION_FIELDS, type ApplicationDraft } from '../views/admin/application-fields.tsx'
import { type FieldVersions, versionsOf } from '../views/admin/both-versions.tsx'
import { deleteApplicationPage } from '../views/admin/delete-application.tsx'
import { endOldSecretPage, renewSecretPage } from '../views/admin/renew-secret.tsx'
import { secretPage } from '../views/admin/secret.tsx'
import { isNameTyped } from '../views/confirm-name.tsx'
import { addLogoRoutes } from './application-logo.ts'
import { checkShown, detailsOf, loadApplication, MEMBER_SCOPES, readDraft } from './applications.ts'
import { changesIn, shownField } from './changes-in-form.ts'
import { readPeople, STANDING_NOTICES } from './clients.ts'
import { carrySecret, takeSecret } from './new-secret.ts'
import { adminFrame, loadOperator, performAs } from './operator.ts'

const ONE = `${paths.applications}/:clientId`

const NOTICES = {
  ...STANDING_NOTICES,
  created: 'The application is ready. Give its client_id to the developer of the app.',
  connected:
    'Connected. Members find it, with the steps, at “Use with an assistant” in their account.',
  saved: 'Saved. New authorizations and refreshes follow it.',
  'no-secret': { warning: 'A public application has no secret.' },
  'old-secret-ended': 'Ended. The app can use only the newest secret.',
  logo: 'The logo was changed.',
  'no-logo': 'The logo was removed.',
  'secret-shown': { warning: 'A secret is shown once. If you did not copy it, renew it.' },
}

export function addOneApplicationRoutes(app: FastifyInstance, context: AppContext): void {
  /** Loads the operator and the application. Every route of one application calls it first. */
  const enter = async (request: FastifyRequest, returnTo?: string) => {
    const operator = await loadOperator(request, returnTo)
    checkShown(request, operator)
    return { operator, application: await loadApplication(request) }
  }
  /** The same for everything that the explorer, which is built in, does not have. */
  const enterToChange = async (request: FastifyRequest, returnTo?: string) => {
    const entered = await enter(request, returnTo)
    if (!entered.application.builtIn) return entered
    throw new RequestRefusedError(
      409,
      'The explorer is built in. You can end its access and switch it off, but not change or delete it.',
    )
  }

  app.get(ONE, async (request, reply) => {
    const { operator, application } = await enter(request)
    const draft = draftOf(application, signsIdTokens(request.school))
    const shown = detailsOf(draft)
    return await show(context, request, reply, { operator, application, draft, shown })
  })

  app.post(ONE, async (request, reply) => {
    const { operator, application } = await enterToChange(request, pathOf(request))
    const { clientId } = application
    const form = checkedForm(context.keyring, request, operator)
    const draft = readDraft(form)
    const typed = detailsOf(draft)
    const stored = detailsOf(draftOf(application, signsIdTokens(request.school)))
    const { changes, overwritten, shown } = changesIn(form, typed, stored)
    const again = { operator, application, draft, shown }
    if (overwritten.length > 0) {
      const overwrites = versionsOf(overwritten, APPLICATION_FIELDS, typed, stored)
      return await show(context, request, reply, { ...again, overwrites }, 409)
    }
    const input = { client_id: clientId, ...changes }
    const changed = await performAs(request, operator, changeApplication, input)
    if (changed.kind === 'invalid') {
      const { problems } = changed
      return await show(context, request, reply, { ...again, problems }, 400)
    }
    return redirectTo(reply, request, 'site', `${applicationPath(clientId)}?done=saved`)
  })

  addLogoRoutes(app, context, ONE, enterToChange)

  app.get(`${ONE}/renew`, async (request, reply) => {
    const { operator, application } = await enterToChange(request)
    if (!application.confidential) {
      const page = applicationPath(application.clientId)
      return redirectTo(reply, request, 'site', `${page}?done=no-secret`)
    }
    const frame = adminFrame(context, request, reply, operator)
    return sendPage(reply, request, 'site', renewSecretPage({ ...frame, application }))
  })

  app.post(`${ONE}/secret`, async (request, reply) => {
    const { operator, application } = await enterToChange(request, pathOf(request))
    const end_old = checkedForm(context.keyring, request, operator).get('end_old') === 'yes'
    const { clientId } = application
    const input = { client_id: clientId, end_old }
    const made = await performAs(request, operator, rotateSecret, input)
    if (made.kind !== 'done') {
      return redirectTo(reply, request, 'site', `${applicationPath(clientId)}?done=no-secret`)
    }
    const { client_secret: secret, old_secret_expires_at: old_until } = made.output
    const carried = { secret, rotated: true, old_until }
    carrySecret(context.keyring, request, reply, operator, clientId, carried)
    return redirectTo(reply, request, 'site', applicationPath(clientId, '/secret'))
  })

  app.get(`${ONE}/secret`, async (request, reply) => {
    const { operator, application } = await enterToChange(request)
    const { clientId, name } = application
    const taken = takeSecret(context.keyring, request, reply, operator, clientId)
    if (taken === undefined) {
      return redirectTo(reply, request, 'site', `${applicationPath(clientId)}?done=secret-shown`)
    }
    const frame = adminFrame(context, request, reply, operator)
    const page = secretPage({ ...frame, clientId, name, ...taken })
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })

  app.get(`${ONE}/old-secret`, async (request, reply) => {
    const { operator, application } = await enterToChange(request)
    if (application.oldSecretExpiresAt === undefined) {
      const page = applicationPath(application.clientId)
      return redirectTo(reply, request, 'site', `${page}?done=old-secret-ended`)
    }
    const frame = adminFrame(context, request, reply, operator)
    return sendPage(reply, request, 'site', endOldSecretPage({ ...frame, application }))
  })

  app.post(`${ONE}/old-secret`, async (request, reply) => {
    const { operator, application } = await enterToChange(request, pathOf(request))
    checkedForm(context.keyring, request, operator)
    const { clientId } = application
    await performAs(request, operator, endOldSecret, { client_id: clientId })
    return redirectTo(reply, request, 'site', `${applicationPath(clientId)}?done=old-secret-ended`)
  })

  app.get(`${ONE}/delete`, async (request, reply) => {
    const { operator, application } = await enterToChange(request)
    const people = await countPeopleOfApp(request.at, application.clientId)
    const frame = adminFrame(context, request, reply, operator)
    const page = deleteApplicationPage({ ...frame, application, people })
    return sendPage(reply, request, 'site', page)
  })

  app.post(`${ONE}/delete`, async (request, reply) => {
    const { operator, application } = await enterToChange(request, pathOf(request))
    const form = checkedForm(context.keyring, request, operator)
    if (!isNameTyped(form, application.name || application.clientId)) {
      const people = await countPeopleOfApp(request.at, application.clientId)
      const frame = adminFrame(context, request, reply, operator)
      const page = deleteApplicationPage({ ...frame, application, people, isWrongName: true })
      return sendPage(reply, request, 'site', page, 422)
    }
    const input = { client_id: application.clientId }
    await performAs(request, operator, deleteApplication, input)
    return redirectTo(reply, request, 'site', `${paths.applications}?done=deleted`)
  })
}

/** The page with the forms of an application. */
function pathOf(request: FastifyRequest): string {
  return applicationPath((request.params as { clientId: string }).clientId)
}

/** Without ID tokens there is no end_session_endpoint, so its redirect URIs are not shown. */
function draftOf(application: ListedClient, endSession: boolean): ApplicationDraft {
  const { name, redirectUris, postLogoutRedirectUris, scopes, confidential } = application
  return {
    websiteUrl: application.websiteUrl ?? '',
    privacyUrl: application.privacyUrl ?? '',
    name,
    redirectUris: redirectUris.join('\n'),
    postLogoutRedirectUris: endSession ? postLogoutRedirectUris.join('\n') : undefined,
    scopes,
    confidential,
  }
}

interface Shown {
  readonly operator: BrowserSession
  readonly application: ListedClient
  readonly draft: ApplicationDraft
  /** What the form showed when it was opened. */
  readonly shown: Readonly<Record<string, unknown>>
  readonly problems?: readonly InputProblem[]
  readonly overwrites?: readonly FieldVersions[]
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { operator, application, draft, shown, problems = [], overwrites = [] }: Shown,
  status = 200,
): Promise<FastifyReply> {
  const page = applicationPage({
    ...adminFrame(context, request, reply, operator, NOTICES),
    application,
    draft,
    problems,
    hidden: shownField(shown),
    overwrites,
    offered: MEMBER_SCOPES,
    variant: request.school.variant,
    people: await readPeople(request, application.clientId),
  })
  return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page, status)
}
