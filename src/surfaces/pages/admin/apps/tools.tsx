import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findListedTool,
  type ListedClient,
  listClients,
} from '../../../../domain/clients/list-clients.ts'
import { findScope, SCOPES } from '../../../../domain/clients/scope-catalogue.ts'
import {
  changeTool,
  createTool,
  DEFAULT_TOOL_SCOPES,
  deleteTool,
  TOOLS_PATH,
} from '../../../../domain/clients/tool-operations.ts'
import {
  countPeopleOfApp,
  MOST_PEOPLE,
  peoplePerApp,
} from '../../../../domain/grants/people-of-app.ts'
import { Address, Facts, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { withoutNul } from '../../frame/layout.tsx'
import { adminPaths, toolPath } from '../../frame/paths.ts'
import { countUpTo } from '../../frame/words.ts'
import type { Choice, FormField, InputName } from '../crud/field.ts'
import { type PlannedField, planForm } from '../crud/field-rules.ts'
import {
  formPage,
  isWrong,
  newForm,
  ObjectForm,
  refusedForm,
  type ShownForm,
  savedForm,
} from '../crud/form.tsx'
import { draftOf } from '../crud/read-form.ts'
import type { Row } from '../crud/row.ts'
import { submitChange, submitForm } from '../crud/submit.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import type { OperatorVisit } from '../frame/operator.ts'
import { PeoplePanel, type PeopleProps } from './activity.tsx'
import { deleteApplicationPage, developersVisit } from './applications.tsx'
import { StatusPanel } from './client-status.tsx'
import { readPeople, STATUS_NOTICES } from './clients.ts'

const ONE = `${adminPaths.tools}/:slug`

const NOTICES = {
  ...STATUS_NOTICES,
  created: 'The tool is ready. Give its client_id to the person who runs it.',
  saved: 'Saved. New authorizations and refreshes follow it.',
  deleted: 'The tool is deleted, and its access has ended.',
}

const OFFERED = [
  ...SCOPES.filter(({ audience }) => audience === 'identity'),
  ...SCOPES.filter(({ audience, access }) => audience === 'operator' && access === 'read'),
  ...SCOPES.filter(({ audience, access }) => audience === 'operator' && access === 'write'),
]

function headingOf(scope: string): string {
  const found = findScope(scope)
  if (found?.audience === 'identity') return 'Scopes: who the person is'
  return found?.access === 'read' ? 'Scopes: what it can see' : 'Scopes: what it can change'
}

/** `address` is the start of the address of every tool. That of an existing one never changes. */
const fieldsAt = (address: string): readonly FormField<InputName<typeof createTool>>[] => [
  {
    name: 'name',
    label: 'Name',
    needed: true,
    hint: 'Owners and admins see it when they are asked for consent.',
  },
  {
    name: 'slug',
    label: 'Address',
    needed: true,
    hint: `A short name in small letters, such as reports. The client_id becomes ${address}reports.json. It cannot be changed, and no other tool ever gets it.`,
  },
  {
    name: 'redirect_uris',
    label: 'Redirect URIs',
    kind: 'lines',
    hint: 'One per line, only on the person’s own computer, such as http://127.0.0.1/callback. The port may differ, the path must match exactly.',
  },
  {
    name: 'scopes',
    label: 'Scopes',
    kind: 'scopes',
    choices: OFFERED.map(({ name, meaning }): Choice => [name, meaning]),
    headingOf,
    hint: 'An assistant asks for all read scopes; take away what it must not see.',
  },
]

const CHANGED_FIELDS = planForm(changeTool, fieldsAt(''), createTool)

export function newToolFields(origin: string): readonly PlannedField[] {
  return planForm(createTool, fieldsAt(origin + TOOLS_PATH))
}

const AT_FIRST = { redirect_uris: ['http://127.0.0.1/callback'], scopes: DEFAULT_TOOL_SCOPES }

/** Developers, Operator tools: operator clients whose metadata document the school publishes. */
export function addToolRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(adminPaths.tools, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const [tools, people] = await Promise.all([
      listClients(request.schoolDb, 'tool'),
      peoplePerApp(request.schoolDb, 'tool'),
    ])
    const frame = visit.frame(NOTICES)
    return visit.page(toolsPage({ ...frame, tools, people }))
  })

  app.get(adminPaths.newTool, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const fields = newToolFields(request.school.origin)
    const form = await newForm(visit, fields, draftOf(fields, AT_FIRST, visit.place))
    return visit.page(newToolPage(visit.frame(), form))
  })

  app.post(adminPaths.tools, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, adminPaths.newTool)
    const fields = newToolFields(request.school.origin)
    const made = await submitForm(visit, visit.form(), { operation: createTool, fields, fixed: {} })
    if (made.kind === 'refused') {
      const form = await refusedForm(visit, fields, made)
      return visit.page(newToolPage(visit.frame(), form), made.status)
    }
    if (made.kind !== 'done') throw new Error('a new tool was not found')
    // Discovery says whether the school has tools.
    context.directory.forget(request.school.id)
    return visit.goTo(`${toolPath(String(made.output.slug))}?done=created`)
  })

  app.get(ONE, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const tool = await loadTool(request)
    return await show(visit, tool, await savedForm(visit, CHANGED_FIELDS, toolRow(tool)))
  })

  app.post(ONE, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, pathOf(request))
    const tool = await loadTool(request)
    const load = async () => toolRow(tool)
    const { before, outcome } = await submitChange(visit, visit.form(), load, {
      operation: changeTool,
      fields: CHANGED_FIELDS,
      fixed: { slug: tool.slug },
    })
    if (outcome.kind === 'refused') {
      const form = await refusedForm(visit, CHANGED_FIELDS, outcome, before)
      return await show(visit, tool, form, outcome.status)
    }
    return visit.goTo(`${pathOf(request)}?done=saved`)
  })

  app.get(`${ONE}/delete`, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const application = await loadTool(request)
    const people = await countPeopleOfApp(request.schoolDb, application.clientId)
    const frame = visit.frame()
    const asked = { application, people, kind: 'tool', back: pathOf(request) } as const
    return visit.page(deleteApplicationPage({ ...frame, ...asked }))
  })

  app.post(`${ONE}/delete`, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, pathOf(request))
    const tool = await loadTool(request)
    const form = visit.form()
    if (!isNameTyped(form, tool.name || tool.clientId)) {
      const people = await countPeopleOfApp(request.schoolDb, tool.clientId)
      const frame = visit.frame()
      const asked = { application: tool, people, kind: 'tool', back: pathOf(request) } as const
      const page = deleteApplicationPage({ ...frame, ...asked, isWrongName: true })
      return visit.page(page, 422)
    }
    await visit.perform(deleteTool, { slug: tool.slug ?? '' })
    context.directory.forget(request.school.id)
    return visit.goTo(`${adminPaths.tools}?done=deleted`)
  })
}

/** The page with the forms of a tool. */
function pathOf(request: FastifyRequest): string {
  return toolPath((request.params as { slug: string }).slug)
}

/** A tool of this school. The slug of another school's tool is not found. */
async function loadTool(request: FastifyRequest): Promise<ListedClient> {
  const { slug } = request.params as { slug: string }
  const found = await findListedTool(request.schoolDb, withoutNul(slug))
  if (found === undefined) throw new RequestRefusedError(404, 'There is no tool of this name here.')
  return found
}

function toolRow({ name, redirectUris, scopes }: ListedClient): Row {
  return { name, redirect_uris: redirectUris, scopes }
}

async function show(
  visit: OperatorVisit,
  tool: ListedClient,
  form: ShownForm,
  status = 200,
): Promise<FastifyReply> {
  const people = await readPeople(visit.request, tool.clientId)
  const page = toolPage({ ...visit.frame(NOTICES), tool, form, people })
  return visit.scriptedPage(COPY_SCRIPT, page, status)
}

interface ToolsProps extends AdminFrame {
  tools: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
}

export function toolsPage(props: ToolsProps): string {
  const { tools, people } = props
  return adminPage({
    ...props,
    title: 'Operator tools',
    children: (
      <>
        <PageHead
          title="Operator tools"
          lead="Programs that owners and admins run on their own computers: a script, or an MCP client that is no known platform."
        >
          <ButtonLink look="primary" href={adminPaths.newTool}>
            New tool
          </ButtonLink>
        </PageHead>
        <section class="panel" aria-label="Tools">
          {tools.length === 0 ? (
            <Empty>
              <p>No tools yet.</p>
              <p>Create one, and give its client_id to the person who runs it.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {tools.map(({ clientId, slug, name, disabled }) => (
                <li>
                  <div>
                    <p class="row-title">
                      <a href={toolPath(slug ?? '')}>
                        <Name text={name} fallback={clientId} />
                      </a>
                      {disabled && <Badge tone="over">Switched off</Badge>}
                    </p>
                    <p class="row-note">
                      <Address text={clientId} />
                    </p>
                  </div>
                  <p class="row-note">
                    {countUpTo(people.get(clientId) ?? 0, 'person', 'people', MOST_PEOPLE)}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
      </>
    ),
  })
}

export function newToolPage(frame: AdminFrame, form: ShownForm): string {
  return formPage({
    ...frame,
    ...form,
    here: adminPaths.newTool,
    title: 'New tool',
    lead: 'Your school publishes its metadata document. Every owner and admin of your school can connect it.',
    up: { url: adminPaths.tools, label: 'Operator tools' },
    action: adminPaths.tools,
    submit: 'Create tool',
  })
}

interface ToolProps extends AdminFrame {
  readonly tool: ListedClient
  readonly form: ShownForm
  readonly people: PeopleProps
}

export function toolPage(props: ToolProps): string {
  const { tool, people, form } = props
  const { clientId, disabled } = tool
  const path = toolPath(tool.slug ?? '')
  const name = plainText(tool.name) || clientId
  return adminPage({
    ...props,
    here: path,
    title: isWrong(form) ? `Error: ${name}` : name,
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={tool.name} fallback={clientId} />}
          up={{ url: adminPaths.tools, label: 'Operator tools' }}
        >
          <p class="badges">
            <Badge>Your school’s tool</Badge>
            {disabled && <Badge tone="over">Switched off</Badge>}
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <Facts
            rows={[
              [
                'client_id, and address of its document',
                <>
                  <CopyText id="client-id" what="the client_id">
                    <a href={clientId}>
                      <Address text={clientId} />
                    </a>
                  </CopyText>
                  <CopyStatus />
                </>,
              ],
              ['Kind', 'Public: no secret; PKCE protects each sign-in'],
              ['Created', <Moment at={tool.createdAt} timeZone={props.timeZone} />],
            ]}
          />
        </section>
        <Panel title="Details">
          <ObjectForm {...props} {...form} action={path} submit="Save details" />
        </Panel>
        <PeoplePanel
          {...props}
          clientId={clientId}
          page={people}
          nextUrl={people.next && `${path}?after=${people.next}#people`}
        />
        <StatusPanel {...props} clientId={clientId} disabled={disabled} />
        <Panel
          title="Delete"
          tone="danger"
          lead="Ends all access that people gave it, and withdraws its document. This cannot be undone."
        >
          <div class="actions">
            <ButtonLink look="plain" href={`${path}/delete`}>
              Delete this tool…
            </ButtonLink>
          </div>
        </Panel>
      </>
    ),
  })
}
