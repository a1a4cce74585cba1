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
import { Alert, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Badge, ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import type { OperatorVisit } from '../frame/operator.ts'
import {
  type ApplicationDraft,
  ApplicationFields,
  type ApplicationFieldsProps,
} from './application-fields.tsx'
import { detailsOf, developersVisit, MEMBER_SCOPES, readDraft } from './applications.tsx'

const ONE = `${adminPaths.assistants}/:assistant`

/** Developers, Assistants: applications for members, made from templates. */
export function addAssistantRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.assistants, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const frame = visit.frame()
    const page = assistantsPage({
      ...frame,
      connected: await connectedAssistants(request.schoolDb),
    })
    return visit.page(page)
  })

  app.get(ONE, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const assistant = loadAssistant(request)
    const draft = draftFor(assistant, request.school.origin)
    return show(visit, { assistant, draft, problems: [] })
  })

  app.post(ONE, async (request, reply) => {
    const assistant = loadAssistant(request)
    const visit = await developersVisit(context, request, reply, assistantPath(assistant))
    const draft = readDraft(visit.form())
    const input = { ...detailsOf(draft), confidential: draft.confidential, assistant }
    const made = await visit.perform(createApplication, input)
    if (made.kind === 'invalid') {
      const { problems } = made
      return show(visit, { assistant, draft, problems }, 400)
    }
    if (made.kind !== 'done') throw new Error('a random client_id was taken')
    const path = applicationPath(made.output.client_id)
    return visit.goTo(`${path}?done=connected`)
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
  readonly assistant: Assistant
  readonly draft: ApplicationDraft
  readonly problems: readonly InputProblem[]
}

function show(visit: OperatorVisit, shown: Shown, status = 200): FastifyReply {
  const page = connectAssistantPage({
    ...visit.frame(),
    ...shown,
    offered: MEMBER_SCOPES,
    variant: visit.request.school.variant,
  })
  return visit.page(page, status)
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
