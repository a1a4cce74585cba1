import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findListedTool,
  type ListedClient,
  listClients,
} from '../../../../domain/clients/list-clients.ts'
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
import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT } from '../../../../foundation/html/copyable.tsx'
import { Badge, ButtonLink, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { isNameTyped } from '../../frame/confirm-name.tsx'
import { withoutNul } from '../../frame/layout.tsx'
import { adminPaths, toolPath } from '../../frame/paths.ts'
import { countUpTo } from '../../frame/words.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import {
  changesIn,
  type FieldVersions,
  type ShownDigests,
  shownDigests,
  shownField,
  versionsOf,
} from '../frame/changes-in-form.tsx'
import type { OperatorVisit } from '../frame/operator.ts'
import { deleteApplicationPage, developersVisit } from './applications.tsx'
import { readPeople, STATUS_NOTICES } from './clients.ts'
import { TOOL_FIELDS, type ToolDraft, ToolFields, type ToolFieldsProps, toolPage } from './tool.tsx'

const ONE = `${adminPaths.tools}/:slug`

const NOTICES = {
  ...STATUS_NOTICES,
  created: 'The tool is ready. Give its client_id to the person who runs it.',
  saved: 'Saved. New authorizations and refreshes follow it.',
  deleted: 'The tool is deleted, and its access has ended.',
}

const EMPTY: ToolDraft = {
  slug: '',
  name: '',
  redirectUris: 'http://127.0.0.1/callback',
  scopes: DEFAULT_TOOL_SCOPES,
}

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
    return showNew(await developersVisit(context, request, reply), EMPTY, [])
  })

  app.post(adminPaths.tools, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, adminPaths.newTool)
    const draft = readDraft(visit.form())
    const input = { slug: draft.slug, ...detailsOf(draft) }
    const made = await visit.perform(createTool, input)
    if (made.kind === 'invalid') {
      return showNew(visit, draft, made.problems, 400)
    }
    // Discovery says whether the school has tools.
    context.directory.forget(request.school.id)
    return visit.goTo(`${toolPath(draft.slug)}?done=created`)
  })

  app.get(ONE, async (request, reply) => {
    const visit = await developersVisit(context, request, reply)
    const tool = await loadTool(request)
    const draft = draftOf(tool)
    return await show(visit, { tool, draft, shown: shownDigests(detailsOf(draft)) })
  })

  app.post(ONE, async (request, reply) => {
    const visit = await developersVisit(context, request, reply, pathOf(request))
    const tool = await loadTool(request)
    const form = visit.form()
    const draft = readDraft(form)
    const [typed, stored] = [detailsOf(draft), detailsOf(draftOf(tool))]
    const { changes, overwritten, shown } = changesIn(form, typed, stored)
    const again = { tool, draft, shown }
    if (overwritten.length > 0) {
      const overwrites = versionsOf(overwritten, TOOL_FIELDS, typed, stored)
      return await show(visit, { ...again, overwrites }, 409)
    }
    const input = { slug: tool.slug ?? '', ...changes }
    const changed = await visit.perform(changeTool, input)
    if (changed.kind === 'invalid') {
      const { problems } = changed
      return await show(visit, { ...again, problems }, 400)
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

/** The fields exactly as typed, so that the page can show them again next to their problems. */
function readDraft(form: URLSearchParams): ToolDraft {
  return {
    slug: form.get('slug') ?? '',
    name: form.get('name') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
    scopes: form.getAll('scopes'),
  }
}

function draftOf({ slug, name, redirectUris, scopes }: ListedClient): ToolDraft {
  return { slug: slug ?? '', name, redirectUris: redirectUris.join('\n'), scopes }
}

function detailsOf(draft: ToolDraft) {
  return {
    name: draft.name,
    redirect_uris: draft.redirectUris.split('\n').flatMap((line) => line.trim() || []),
    scopes: [...draft.scopes].sort(),
  }
}

function showNew(
  visit: OperatorVisit,
  draft: ToolDraft,
  problems: readonly InputProblem[],
  status = 200,
): FastifyReply {
  const frame = visit.frame()
  const address = visit.request.school.origin + TOOLS_PATH
  return visit.page(newToolPage({ ...frame, draft, problems, address }), status)
}

interface Shown {
  readonly tool: ListedClient
  readonly draft: ToolDraft
  /** What the form showed when it was opened. */
  readonly shown: ShownDigests
  readonly problems?: readonly InputProblem[]
  readonly overwrites?: readonly FieldVersions[]
}

async function show(
  visit: OperatorVisit,
  { tool, draft, shown, problems = [], overwrites = [] }: Shown,
  status = 200,
): Promise<FastifyReply> {
  const page = toolPage({
    ...visit.frame(NOTICES),
    tool,
    draft,
    problems,
    hidden: shownField(shown),
    overwrites,
    people: await readPeople(visit.request, tool.clientId),
  })
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

interface NewToolProps extends AdminFrame, ToolFieldsProps {
  /** The start of the address of every tool. */
  address: string
}

export function newToolPage(props: NewToolProps): string {
  return adminPage({
    ...props,
    here: adminPaths.newTool,
    title: props.problems.length > 0 ? 'Error: New tool' : 'New tool',
    children: (
      <>
        <PageHead
          title="New tool"
          lead="Your school publishes its metadata document. Every owner and admin of your school can connect it."
          up={{ url: adminPaths.tools, label: 'Operator tools' }}
        />
        <section class="panel">
          <Form action={adminPaths.tools} formToken={props.viewer?.formToken ?? ''}>
            <ToolFields {...props} />
            <Button look="primary">Create tool</Button>
          </Form>
        </section>
      </>
    ),
  })
}
