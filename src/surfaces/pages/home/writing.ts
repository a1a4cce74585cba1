import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findPublicPage, findPublicPost } from '../../../domain/content/public-writing.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { frameFor, slugOf } from '../site-frame.ts'
import { type Writing, writingPage } from '../views/writing.tsx'
import { asksForPreview, isPreview, withPreviewMark } from './preview.ts'

/** The public page of each post and page. */
export function addWritingRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/posts/:slug', async (request, reply) => {
    const seen = await viewerOf(request)
    const post = await findPublicPost(request.at, slugOf(request), seen.isPreview)
    return await show(context, request, reply, post && { ...post, kind: 'post' }, seen)
  })

  app.get('/pages/:slug', async (request, reply) => {
    const seen = await viewerOf(request)
    const page = await findPublicPage(request.at, slugOf(request), seen.isPreview)
    return await show(context, request, reply, page && { ...page, kind: 'page' }, seen)
  })
}

interface Viewer {
  readonly session?: BrowserSession | undefined
  readonly isPreview: boolean
}

/** The session is read first only for a preview, so that an unknown address costs one statement. */
async function viewerOf(request: FastifyRequest): Promise<Viewer> {
  if (!asksForPreview(request)) return { isPreview: false }
  const session = await findBrowserSession(request)
  return { session, isPreview: isPreview(request, session) }
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  writing: (Writing & { readonly isPublic: boolean }) | undefined,
  viewer: Viewer,
): Promise<FastifyReply> {
  if (writing === undefined) {
    throw new RequestRefusedError(404, 'This page does not exist, or it is no longer public.')
  }
  const session = viewer.session ?? (await findBrowserSession(request))
  const page = writingPage({
    ...withPreviewMark(frameFor(context, request, reply, session), viewer.isPreview, writing),
    timeZone: request.school.timeZone,
    writing,
  })
  return sendPage(reply, request, 'site', page)
}
