import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createApplication } from '../../../../domain/clients/application-operations.ts'
import {
  findListedClient,
  type ListedClient,
  listClients,
} from '../../../../domain/clients/list-clients.ts'
import { MOST_PEOPLE, peoplePerApp } from '../../../../domain/grants/people-of-app.ts'
import { Address, Facts, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { DOCUMENTS, ENDPOINTS } from '../../../../foundation/protocol/endpoints.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { withoutNul } from '../../frame/layout.tsx'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import { countUpTo } from '../../frame/words.ts'
import { formPage, newForm, refusedForm, type ShownForm } from '../crud/form.tsx'
import { draftOf } from '../crud/read-form.ts'
import { submitForm } from '../crud/submit.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { FeatureOff, type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'
import { PeopleWithAccess } from './activity.tsx'
import { newApplicationFields } from './application-fields.ts'
import { carrySecret } from './secret.tsx'

const NOTICES = { deleted: 'The application is deleted, and its access has ended.' }

const SCOPES_AT_FIRST = ['openid', 'profile', 'email', 'account:read']

/** Developers, OAuth applications: the member clients of a school. */
export function addApplicationRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.applications, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const [applications, people] = await Promise.all([
      listClients(request.schoolDb, 'application'),
      peoplePerApp(request.schoolDb, 'application'),
    ])
    const frame = visit.frame(NOTICES)
    const { origin } = request.school
    const page = applicationsPage({ ...frame, applications, people, origin })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })

  app.get(adminPaths.newApplication, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const fields = newApplicationFields(request.school)
    const draft = draftOf(fields, { scopes: SCOPES_AT_FIRST }, visit.place)
    return visit.page(newApplicationPage(visit.frame(), await newForm(visit, fields, draft)))
  })

  app.post(adminPaths.applications, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, adminPaths.newApplication)
    const fields = newApplicationFields(request.school)
    const made = await submitForm(visit, visit.form(), {
      operation: createApplication,
      fields,
      fixed: {},
    })
    if (made.kind === 'refused') {
      const form = await refusedForm(visit, fields, made)
      return visit.page(newApplicationPage(visit.frame(), form), made.status)
    }
    if (made.kind !== 'done') throw new Error('a random client_id was taken')
    const { client_id: clientId, client_secret: secret } = createApplication.output.parse(
      made.output,
    )
    if (secret === null) {
      return visit.goTo(`${applicationPath(clientId)}?done=created`)
    }
    const carried = { secret, rotated: false }
    carrySecret(visit, clientId, carried)
    return visit.goTo(applicationPath(clientId, '/secret'))
  })
}

/**
 * Every route of the Developers area begins here. Without the beta feature the area is absent;
 * applications go on working.
 */
export async function developersVisit(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo?: string,
): Promise<OperatorVisit> {
  const visit = await operatorVisit(context, request, reply, returnTo)
  if (!request.school.mcpConnections) throw new FeatureOff(visit.session)
  return visit
}

/** An application of this school. The id of another school's application is not found. */
export async function loadApplication(request: FastifyRequest) {
  const { clientId } = request.params as { clientId: string }
  const found = await findListedClient(request.schoolDb, withoutNul(clientId))
  if (found === undefined || found.kind !== 'application') {
    throw new RequestRefusedError(404, 'There is no application with this client_id here.')
  }
  return found
}

interface ApplicationsProps extends AdminFrame {
  applications: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
  /** Of the school. */
  origin: string
}

export function applicationsPage(props: ApplicationsProps): string {
  const { applications, people } = props
  return adminPage({
    ...props,
    title: 'OAuth applications',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title="OAuth applications"
          lead="Apps that members of your school can connect to their own account."
        >
          <div class="actions">
            <ButtonLink look="plain" href={adminPaths.assistants}>
              Connect an assistant
            </ButtonLink>
            <ButtonLink look="primary" href={adminPaths.newApplication}>
              New application
            </ButtonLink>
          </div>
        </PageHead>
        <section class="panel" aria-label="Applications">
          {applications.every(({ builtIn }) => builtIn) && (
            <Empty>
              <p>You created no applications yet.</p>
              <p>Create one, and give its client_id to the developer of the app.</p>
            </Empty>
          )}
          {applications.length > 0 && (
            <ul class="rows">
              {applications.map((application) => (
                <li>
                  <div>
                    <p class="row-title">
                      <a href={applicationPath(application.clientId)}>
                        <Name text={application.name} fallback={application.clientId} />
                      </a>
                      <KindBadges client={application} />
                      {application.disabled && <Badge tone="over">Switched off</Badge>}
                    </p>
                    <p class="row-note">
                      <Address text={application.clientId} />
                    </p>
                  </div>
                  <p class="row-note">
                    {countUpTo(
                      people.get(application.clientId) ?? 0,
                      'person',
                      'people',
                      MOST_PEOPLE,
                    )}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
        <Panel title="Addresses" lead="What a developer asks for, besides the client_id.">
          <Facts
            rows={addressesOf(props.origin).map(([id, label, url]) => [
              label,
              <CopyText id={id} what={`the address: ${label}`}>
                <Address text={url} />
              </CopyText>,
            ])}
          />
          <CopyStatus />
        </Panel>
      </>
    ),
  })
}

function addressesOf(origin: string) {
  return [
    ['issuer', 'Issuer', origin],
    ['discovery', 'All endpoints', origin + DOCUMENTS.authorizationServer],
    ['member-api', 'Member API (GraphQL)', origin + ENDPOINTS.memberApi],
    ['mcp-member', 'Assistants of members (MCP)', `${origin}/mcp/member`],
    ['mcp', 'Assistants of owners and admins (MCP)', `${origin}/mcp`],
  ] as const
}

export function KindBadges({ client }: { client: ListedClient }) {
  return (
    <>
      <Badge>{client.confidential ? 'Confidential' : 'Public'}</Badge>
      {client.builtIn && <Badge>Built in</Badge>}
      {client.assistant !== undefined && <Badge>Assistant</Badge>}
    </>
  )
}

export function newApplicationPage(frame: AdminFrame, form: ShownForm): string {
  return formPage({
    ...frame,
    ...form,
    here: adminPaths.newApplication,
    title: 'New application',
    lead: 'For one app. Every member of your school can connect it to their own account.',
    up: { url: adminPaths.applications, label: 'OAuth applications' },
    action: adminPaths.applications,
    submit: 'Create application',
  })
}

interface DeleteApplicationProps extends AdminFrame {
  application: ListedClient
  /** With a live authorization. */
  people: number
  /** Whether another name was typed. */
  isWrongName?: boolean
  /** A tool has another page than an application. */
  kind?: 'application' | 'tool'
  back?: string
}

export function deleteApplicationPage(props: DeleteApplicationProps): string {
  const { application, people, kind = 'application' } = props
  const { clientId, name } = application
  const back = props.back ?? applicationPath(clientId)
  return questionPage({
    ...props,
    here: back,
    title: `Delete ${kind}`,
    question: (
      <>
        Delete <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: `Back to the ${kind}` },
    tone: 'danger',
    consequence: (
      <>
        <PeopleWithAccess people={people} loss="Their access ends at once." />
        <p>
          <Address text={clientId} /> stops working. The same id cannot be used again.
        </p>
      </>
    ),
    form: {
      path: `${back}/delete`,
      typed: { name: name || clientId, isWrong: props.isWrongName === true },
      button: 'Delete',
    },
  })
}
