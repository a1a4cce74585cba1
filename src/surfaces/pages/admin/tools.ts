import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findListedTool,
  type ListedClient,
  listClients,
} from '../../../domain/clients/list-clients.ts'
import {
  changeTool,
  createTool,
  DEFAULT_TOOL_SCOPES,
  deleteTool,
  TOOLS_PATH,
} from '../../../domain/clients/tool-operations.ts'
import { countPeopleOfApp, peoplePerApp } from '../../../domain/grants/people-of-app.ts'
import type { InputProblem } from '../../../domain/operation/refusal.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { COPY_SCRIPT } from '../../../foundation/html/copyable.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'
import { checkedForm, redirectTo, sendPage, sendScriptedPage } from '../page-request.ts'
import { withoutNul } from '../site-frame.ts'
import { paths, toolPath } from '../views/admin/admin-page.tsx'
import { type FieldVersions, versionsOf } from '../views/admin/both-versions.tsx'
import { deleteApplicationPage } from '../views/admin/delete-application.tsx'
import { toolPage } from '../views/admin/tool.tsx'
import { TOOL_FIELDS, type ToolDraft } from '../views/admin/tool-fields.tsx'
import { newToolPage, toolsPage } from '../views/admin/tools.tsx'
import { isNameTyped } from '../views/confirm-name.tsx'
import { checkShown } from './applications.ts'
import { changesIn, shownField } from './changes-in-form.ts'
import { readPeople, STANDING_NOTICES } from './clients.ts'
import { adminFrame, loadOperator, performAs } from './operator.ts'

const ONE = `${paths.tools}/:slug`

const NOTICES = {
  ...STANDING_NOTICES,
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
  /** Every route of the tools calls it first. A post passes the page of its form. */
  const enter = async (request: FastifyRequest, returnTo?: string): Promise<BrowserSession> => {
    const operator = await loadOperator(request, returnTo)
    checkShown(request, operator)
    return operator
  }

  app.get(paths.tools, async (request, reply) => {
    const operator = await enter(request)
    const [tools, people] = await Promise.all([
      listClients(request.at, 'tool'),
      peoplePerApp(request.at, 'tool'),
    ])
    const frame = adminFrame(context, request, reply, operator, NOTICES)
    return sendPage(reply, request, 'site', toolsPage({ ...frame, tools, people }))
  })

  app.get(paths.newTool, async (request, reply) => {
    return showNew(context, request, reply, await enter(request), EMPTY, [])
  })

  app.post(paths.tools, async (request, reply) => {
    const operator = await enter(request, paths.newTool)
    const draft = readDraft(checkedForm(context.keyring, request, operator))
    const input = { slug: draft.slug, ...detailsOf(draft) }
    const made = await performAs(request, operator, createTool, input)
    if (made.kind === 'invalid') {
      return showNew(context, request, reply, operator, draft, made.problems, 400)
    }
    // Discovery says whether the school has tools.
    context.directory.forget(request.school.id)
    return redirectTo(reply, request, 'site', `${toolPath(draft.slug)}?done=created`)
  })

  app.get(ONE, async (request, reply) => {
    const operator = await enter(request)
    const tool = await loadTool(request)
    const draft = draftOf(tool)
    return await show(context, request, reply, { operator, tool, draft, shown: detailsOf(draft) })
  })

  app.post(ONE, async (request, reply) => {
    const operator = await enter(request, pathOf(request))
    const tool = await loadTool(request)
    const form = checkedForm(context.keyring, request, operator)
    const draft = readDraft(form)
    const [typed, stored] = [detailsOf(draft), detailsOf(draftOf(tool))]
    const { changes, overwritten, shown } = changesIn(form, typed, stored)
    const again = { operator, tool, draft, shown }
    if (overwritten.length > 0) {
      const overwrites = versionsOf(overwritten, TOOL_FIELDS, typed, stored)
      return await show(context, request, reply, { ...again, overwrites }, 409)
    }
    const input = { slug: tool.slug ?? '', ...changes }
    const changed = await performAs(request, operator, changeTool, input)
    if (changed.kind === 'invalid') {
      const { problems } = changed
      return await show(context, request, reply, { ...again, problems }, 400)
    }
    return redirectTo(reply, request, 'site', `${pathOf(request)}?done=saved`)
  })

  app.get(`${ONE}/delete`, async (request, reply) => {
    const operator = await enter(request)
    const application = await loadTool(request)
    const people = await countPeopleOfApp(request.at, application.clientId)
    const frame = adminFrame(context, request, reply, operator)
    const asked = { application, people, kind: 'tool', back: pathOf(request) } as const
    return sendPage(reply, request, 'site', deleteApplicationPage({ ...frame, ...asked }))
  })

  app.post(`${ONE}/delete`, async (request, reply) => {
    const operator = await enter(request, pathOf(request))
    const tool = await loadTool(request)
    const form = checkedForm(context.keyring, request, operator)
    if (!isNameTyped(form, tool.name || tool.clientId)) {
      const people = await countPeopleOfApp(request.at, tool.clientId)
      const frame = adminFrame(context, request, reply, operator)
      const asked = { application: tool, people, kind: 'tool', back: pathOf(request) } as const
      const page = deleteApplicationPage({ ...frame, ...asked, isWrongName: true })
      return sendPage(reply, request, 'site', page, 422)
    }
    await performAs(request, operator, deleteTool, { slug: tool.slug ?? '' })
    context.directory.forget(request.school.id)
    return redirectTo(reply, request, 'site', `${paths.tools}?done=deleted`)
  })
}

/** The page with the forms of a tool. */
function pathOf(request: FastifyRequest): string {
  return toolPath((request.params as { slug: string }).slug)
}

/** A tool of this school. The slug of another school's tool is not found. */
async function loadTool(request: FastifyRequest): Promise<ListedClient> {
  const { slug } = request.params as { slug: string }
  const found = await findListedTool(request.at, withoutNul(slug))
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
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operator: BrowserSession,
  draft: ToolDraft,
  problems: readonly InputProblem[],
  status = 200,
): FastifyReply {
  const frame = adminFrame(context, request, reply, operator)
  const address = request.school.origin + TOOLS_PATH
  return sendPage(
    reply,
    request,
    'site',
    newToolPage({ ...frame, draft, problems, address }),
    status,
  )
}

interface Shown {
  readonly operator: BrowserSession
  readonly tool: ListedClient
  readonly draft: ToolDraft
  /** What the form showed when it was opened. */
  readonly shown: Readonly<Record<string, unknown>>
  readonly problems?: readonly InputProblem[]
  readonly overwrites?: readonly FieldVersions[]
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { operator, tool, draft, shown, problems = [], overwrites = [] }: Shown,
  status = 200,
): Promise<FastifyReply> {
  const page = toolPage({
    ...adminFrame(context, request, reply, operator, NOTICES),
    tool,
    draft,
    problems,
    hidden: shownField(shown),
    overwrites,
    people: await readPeople(request, tool.clientId),
  })
  return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page, status)
}
