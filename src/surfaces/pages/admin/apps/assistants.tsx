import type { FastifyInstance, FastifyRequest } from 'fastify'
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
import type { School } from '../../../../domain/schools/school.ts'
import { Alert, Name } from '../../../../foundation/html/components.tsx'
import { Badge, ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import type { PlannedField } from '../crud/field-rules.ts'
import { isWrong, newForm, ObjectForm, refusedForm, type ShownForm } from '../crud/form.tsx'
import { draftOf } from '../crud/read-form.ts'
import { submitForm } from '../crud/submit.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { newApplicationFields } from './application-fields.ts'
import { developersVisit } from './own-clients.tsx'

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
    const fields = assistantFields(request.school)
    const filled = filledIn(assistant, request.school.origin)
    const draft = draftOf(fields, { ...filled, redirect_uris: filled.redirectUris }, visit.place)
    const form = await newForm(visit, fields, draft)
    return visit.page(connectAssistantPage(visit.frame(), assistant, form))
  })

  app.post(ONE, async (request, reply) => {
    const assistant = loadAssistant(request)
    const visit = await developersVisit(context, request, reply, assistantPath(assistant))
    const fields = assistantFields(request.school)
    const made = await submitForm(visit, visit.form(), {
      operation: createApplication,
      fields,
      fixed: { confidential: false, assistant },
    })
    if (made.kind === 'refused') {
      const form = await refusedForm(visit, fields, made)
      return visit.page(connectAssistantPage(visit.frame(), assistant, form), made.status)
    }
    if (made.kind !== 'done') throw new Error('a random client_id was taken')
    const path = applicationPath(String(made.output.client_id))
    return visit.goTo(`${path}?done=connected`)
  })
}

/** An assistant keeps no secret, and none of them signs people out here. */
export function assistantFields(school: School): readonly PlannedField[] {
  const without = ['confidential', 'post_logout_redirect_uris']
  return newApplicationFields(school).filter(({ name }) => !without.includes(name))
}

function loadAssistant(request: FastifyRequest): Assistant {
  const { assistant } = request.params as { assistant: string }
  if (isAssistant(assistant)) return assistant
  throw new RequestRefusedError(404, 'There is no template for this assistant.')
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

/** The form of a new application, filled in for one assistant. */
export function connectAssistantPage(
  frame: AdminFrame,
  assistant: Assistant,
  form: ShownForm,
): string {
  const { name, note } = templateOf(assistant)
  const title = `Connect ${name}`
  return adminPage({
    ...frame,
    title: isWrong(form) ? `Error: ${title}` : title,
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
          <ObjectForm
            {...frame}
            {...form}
            action={assistantPath(assistant)}
            note={
              <p class="field-hint">
                Most assistants ask for all of these scopes, and are refused if one is missing. A
                member sees on the consent page what they allow.
              </p>
            }
            submit={`Connect ${name}`}
          />
        </section>
      </>
    ),
  })
}
