import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createApplication } from '../../../domain/clients/application-operations.ts'
import {
  type Assistant,
  connectedAssistants,
  filledIn,
  isAssistant,
} from '../../../domain/clients/assistants.ts'
import type { InputProblem } from '../../../domain/operation/refusal.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { applicationPath, paths } from '../views/admin/admin-page.tsx'
import type { ApplicationDraft } from '../views/admin/application-fields.tsx'
import { assistantPath, assistantsPage, connectAssistantPage } from '../views/admin/assistants.tsx'
import { checkShown, detailsOf, MEMBER_SCOPES, readDraft } from './applications.ts'
import { adminFrame, loadOperator, performAs } from './operator.ts'

const ONE = `${paths.assistants}/:assistant`

/** Developers, Assistants: applications for members, made from templates. */
export function addAssistantRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(paths.assistants, async (request, reply) => {
    const operator = await loadOperator(request)
    checkShown(request, operator)
    const frame = adminFrame(context, request, reply, operator)
    const page = assistantsPage({ ...frame, connected: await connectedAssistants(request.at) })
    return sendPage(reply, request, 'site', page)
  })

  app.get(ONE, async (request, reply) => {
    const operator = await loadOperator(request)
    checkShown(request, operator)
    const assistant = loadAssistant(request)
    const draft = draftFor(assistant, request.school.origin)
    return show(context, request, reply, { operator, assistant, draft, problems: [] })
  })

  app.post(ONE, async (request, reply) => {
    const assistant = loadAssistant(request)
    const operator = await loadOperator(request, assistantPath(assistant))
    checkShown(request, operator)
    const draft = readDraft(checkedForm(context.keyring, request, operator))
    const input = { ...detailsOf(draft), confidential: draft.confidential, assistant }
    const made = await performAs(request, operator, createApplication, input)
    if (made.kind === 'invalid') {
      const { problems } = made
      return show(context, request, reply, { operator, assistant, draft, problems }, 400)
    }
    if (made.kind !== 'done') throw new Error('a random client_id was taken')
    const path = applicationPath(made.output.client_id)
    return redirectTo(reply, request, 'site', `${path}?done=connected`)
  })
}

function loadAssistant(request: FastifyRequest): Assistant {
  const { assistant } = request.params as { assistant: string }
  if (isAssistant(assistant)) return assistant
  throw new RequestRefusedError(404, 'There is no template for this assistant.')
}

function draftFor(assistant: Assistant, origin: string): ApplicationDraft {
  const { redirectUris, ...filled } = filledIn(assistant, origin)
  return {
    ...filled,
    redirectUris: redirectUris.join('\n'),
    postLogoutRedirectUris: undefined,
    confidential: false,
    websiteUrl: '',
    privacyUrl: '',
  }
}

interface Shown {
  readonly operator: BrowserSession
  readonly assistant: Assistant
  readonly draft: ApplicationDraft
  readonly problems: readonly InputProblem[]
}

function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { operator, ...shown }: Shown,
  status = 200,
): FastifyReply {
  const page = connectAssistantPage({
    ...adminFrame(context, request, reply, operator),
    ...shown,
    offered: MEMBER_SCOPES,
    variant: request.school.variant,
  })
  return sendPage(reply, request, 'site', page, status)
}
