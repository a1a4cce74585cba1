import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findPublicPage, findPublicPost } from '../../../domain/content/public-writing.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendPage } from '../page-request.ts'
import { frameFor, withoutNul } from '../site-frame.ts'
import { type Writing, writingPage } from '../views/writing.tsx'

/** The public page of each post and page. */
export function addWritingRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/posts/:slug', async (request, reply) => {
    const post = await findPublicPost(request.at, slugOf(request))
    return await show(context, request, reply, post && { ...post, kind: 'post' })
  })

  app.get('/pages/:slug', async (request, reply) => {
    const page = await findPublicPage(request.at, slugOf(request))
    return await show(context, request, reply, page && { ...page, kind: 'page' })
  })
}

function slugOf(request: FastifyRequest): string {
  return withoutNul((request.params as { slug: string }).slug)
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  writing: Writing | undefined,
): Promise<FastifyReply> {
  if (writing === undefined) {
    throw new RequestRefusedError(404, 'This page does not exist, or it is no longer public.')
  }
  const session = await findBrowserSession(request)
  const page = writingPage({
    ...frameFor(context, request, reply, session),
    timeZone: request.school.timeZone,
    writing,
  })
  return sendPage(reply, request, 'site', page)
}
