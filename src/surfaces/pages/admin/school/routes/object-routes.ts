import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findFile } from '../../../../../domain/content/file-operations.ts'
import { findHtml } from '../../../../../domain/content/rendered-texts.ts'
import { COPY_SCRIPT } from '../../../../../foundation/html/copyable.tsx'
import { renderInThread } from '../../../../../foundation/markdown/render-in-thread.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { sendScriptedPage } from '../../../page-request.ts'
import { type AdminResource, labelled, listPath, type Related, rowsOf } from '../resource.ts'
import type { Row } from '../row.ts'
import {
  type JudgedAction,
  objectPage,
  type ShownRelated,
  type ShownUpload,
} from '../views/object-page.tsx'
import { askedBy } from './action-routes.ts'
import { noticesOf } from './notices.ts'
import { fileIdIn } from './upload-routes.ts'
import { enter, expanding, loadNamed, type Visit } from './visit.ts'

const RELATED_ROWS = 10
const LOOK_AGAIN_SECONDS = 3

export function addObjectRoute(
  app: FastifyInstance,
  context: AppContext,
  resource: AdminResource,
): void {
  app.get(`${listPath(resource)}/:id`, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const object = await loadNamed(request, visit, resource)
    const { place, ask } = visit
    const frame = visit.frame(noticesOf(resource))
    const page = objectPage({
      ...frame,
      resource,
      object,
      text: await shownText(request, resource, object),
      place,
      actions: await judgedActions(visit, resource, object),
      related: await Promise.all(
        (resource.related ?? []).map((related) => readRelated(visit, related, object)),
      ),
      uploads: await shownUploads(context, request, resource, object),
      panels: await resource.panels?.(object, place, ask, frame.viewer?.formToken ?? ''),
    })
    // Not by the script: the page works without.
    if (resource.isChanging?.(object) === true) reply.header('refresh', LOOK_AGAIN_SECONDS)
    return sendScriptedPage(reply, request, 'site', COPY_SCRIPT, page)
  })
}

/** The actions that the state of an object allows. One that other rows prevent comes with the reason. */
async function judgedActions(
  visit: Visit,
  { actions }: AdminResource,
  object: Row,
): Promise<readonly JudgedAction[]> {
  const possible = actions.filter(({ when }) => when?.(object) ?? true)
  return await Promise.all(
    possible.map(async (action) => ({
      action: labelled(action, object),
      whyNot: await visit.whyNot(askedBy(action).operation, String(object.id)),
    })),
  )
}

async function shownText(
  { at }: FastifyRequest,
  { markdown }: AdminResource,
  object: Row,
): Promise<string> {
  if (markdown === undefined) return ''
  const text = String(object[markdown.member])
  if (text.trim() === '') return ''
  const kept = markdown.isKept === true ? await findHtml(at, String(object.id)) : undefined
  return kept ?? (await renderInThread(text, at.schoolId))
}

async function shownUploads(
  { files }: AppContext,
  request: FastifyRequest,
  { uploads = [] }: AdminResource,
  object: Row,
): Promise<readonly ShownUpload[]> {
  if (files === undefined) return []
  return await Promise.all(
    uploads.map(async (upload) => {
      const id = fileIdIn(object, upload)
      const file = id === null ? undefined : await findFile(request.at, id)
      return { upload, current: file && { ...file, url: `/files/${id}` } }
    }),
  )
}

async function readRelated(visit: Visit, related: Related, object: Row): Promise<ShownRelated> {
  const { list, fixed } = rowsOf(related, object)
  const page = await visit.ask(list.operation, {
    ...fixed,
    ...expanding(list),
    sort: list.sorts[0]?.[0],
    limit: RELATED_ROWS,
  })
  return { related, list, rows: page.data, hasMore: page.has_more }
}
