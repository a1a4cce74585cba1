import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createApplication } from '../../../../domain/clients/application-operations.ts'
import {
  ASSISTANT_IDS,
  type Assistant,
  type ConnectedAssistant,
  connectedAssistants,
  filledIn,
  isAssistant,
  templateOf,
} from '../../../../domain/clients/assistants.ts'
import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import type { BrowserSession } from '../../../../domain/people/sessions.ts'
import { Alert, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Badge, ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage } from '../../frame/page-request.ts'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { adminFrame, loadOperator, performAs } from '../frame/operator.ts'
import {
  type ApplicationDraft,
  ApplicationFields,
  type ApplicationFieldsProps,
} from './application-fields.tsx'
import { checkShown, detailsOf, MEMBER_SCOPES, readDraft } from './applications.tsx'

const ONE = `${adminPaths.assistants}/:assistant`

/** Developers, Assistants: applications for members, made from templates. */
export function addAssistantRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.assistants, async (request, reply) => {
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

interface AssistantsProps extends AdminFrame {
  readonly connected: readonly ConnectedAssistant[]
}

/** What the school can offer its members, and what it does offer. */
export function assistantsPage(props: AssistantsProps): string {
  return adminPage({
    ...props,
    title: 'Connect an assistant',
    children: (
      <>
        <PageHead
          title="Connect an assistant"
          lead={
            <>
              Let members use an assistant with their own account. Each one becomes an OAuth
              application; members find it with the steps at{' '}
              <a href="/account/assistants">Use with an assistant</a>.
            </>
          }
        />
        <section class="panel" aria-label="Assistants">
          <ul class="rows">
            {ASSISTANT_IDS.map((assistant) => (
              <Row
                assistant={assistant}
                connected={props.connected.filter((one) => one.assistant === assistant)}
              />
            ))}
          </ul>
        </section>
      </>
    ),
  })
}

function Row({
  assistant,
  connected,
}: {
  assistant: Assistant
  connected: readonly ConnectedAssistant[]
}) {
  const { name, about } = templateOf(assistant)
  return (
    <li>
      <div>
        <p class="row-title">
          {name}
          {connected.some(({ disabled }) => !disabled) && <Badge tone="good">Offered</Badge>}
        </p>
        <p class="row-note">{about}</p>
        {connected.map((one) => (
          <p class="row-note">
            As{' '}
            <a href={applicationPath(one.clientId)}>
              <Name text={one.name} fallback={one.clientId} />
            </a>
            {one.disabled && (
              <>
                {' '}
                <Badge tone="over">Off</Badge> Members do not see it. Open it to switch it on.
              </>
            )}
          </p>
        ))}
      </div>
      <ButtonLink look="plain" href={assistantPath(assistant)}>
        {connected.length > 0 ? 'Connect another' : 'Connect'}
        <span class="visually-hidden"> {name}</span>
      </ButtonLink>
    </li>
  )
}

function assistantPath(assistant: Assistant): string {
  return `${adminPaths.assistants}/${assistant}`
}

type ConnectAssistantProps = AdminFrame & ApplicationFieldsProps & { readonly assistant: Assistant }

/** The form of a new application, filled in for one assistant. */
export function connectAssistantPage(props: ConnectAssistantProps): string {
  const { name, note } = templateOf(props.assistant)
  const title = `Connect ${name}`
  return adminPage({
    ...props,
    title: props.problems.length > 0 ? `Error: ${title}` : title,
    children: (
      <>
        <PageHead
          title={title}
          lead="The fields are filled in. Change what you want, then connect it for all members of your school."
          up={{ url: adminPaths.assistants, label: 'Connect an assistant' }}
        />
        <section class="panel">
          {note !== undefined && (
            <Alert tone="warning" title="Good to know">
              <p>{note}</p>
            </Alert>
          )}
          <Form action={assistantPath(props.assistant)} formToken={props.viewer?.formToken ?? ''}>
            <ApplicationFields {...props} />
            <p class="field-hint">
              Most assistants ask for all of these scopes, and are refused if one is missing. A
              member sees on the consent page what they allow.
            </p>
            <Button look="primary">Connect {name}</Button>
          </Form>
        </section>
      </>
    ),
  })
}
