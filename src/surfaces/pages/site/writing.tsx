import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOperator } from '../../../domain/actor/actor.ts'
import { findPublicPage, findPublicPost } from '../../../domain/content/public-writing.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, type SiteFrame, sitePage, slugOf } from '../frame/layout.tsx'
import { beginningOf, WrittenText } from '../frame/parts.tsx'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { visitOf } from '../frame/visit.ts'
import { checkFactor } from '../sign-in/factor-needed.tsx'
import { toList } from './lists.tsx'

/** The public page of each post and page. */
export function addWritingRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/posts/:slug', (request, reply) =>
    show(context, request, reply, async (isMarked) => {
      const post = await findPublicPost(request.schoolDb, slugOf(request), isMarked)
      return post && { ...post, kind: 'post' }
    }),
  )

  app.get('/pages/:slug', (request, reply) =>
    show(context, request, reply, async (isMarked) => {
      const page = await findPublicPage(request.schoolDb, slugOf(request), isMarked)
      return page && { ...page, kind: 'page' }
    }),
  )
}

type Find = (isMarked: boolean) => Promise<(Writing & { readonly isPublic: boolean }) | undefined>

/** The session is read first only for a preview, so that an unknown address costs one statement. */
async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  find: Find,
): Promise<FastifyReply> {
  const early = asksForPreview(request) ? await visitOf(context, request, reply) : undefined
  const isMarked = isPreview(request, early?.session)
  const writing = await find(isMarked)
  if (writing === undefined) {
    throw new RequestRefusedError(404, 'This page does not exist, or it is no longer public.')
  }
  const visit = early ?? (await visitOf(context, request, reply))
  const page = writingPage({
    ...withPreviewMark(visit.frame(), isMarked, writing),
    timeZone: request.school.timeZone,
    writing,
  })
  return visit.page(page)
}

/** A public post or page of the school. */
interface Writing {
  kind: 'post' | 'page'
  slug: string
  title: string
  body: string
  /** Of the body; null if it is not rendered yet. */
  html: string | null
  publishedAt: Date
}

interface WritingProps extends SiteFrame {
  timeZone: string
  writing: Writing
}

export function writingPage(props: WritingProps): string {
  const { writing, timeZone } = props
  const title = plainText(writing.title) || 'Untitled'
  return sitePage({
    ...props,
    title,
    listed: {
      path: `/${writing.kind}s/${writing.slug}`,
      description: beginningOf({ text: writing.body, html: writing.html }),
      type: writing.kind === 'post' ? 'article' : undefined,
    },
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={toList(writing.kind === 'post' ? PUBLIC_LISTS.posts : PUBLIC_LISTS.pages)}
          lead={
            writing.kind === 'post' ? (
              <Moment at={writing.publishedAt} timeZone={timeZone} />
            ) : undefined
          }
        />
        {writing.body.trim() === '' ? (
          <div class="panel">
            <Empty>
              <p>There is nothing to read here yet.</p>
            </Empty>
          </div>
        ) : (
          <WrittenText school={props.school} text={writing.body} html={writing.html} />
        )}
      </>
    ),
  })
}

/** Whether the address asks for a page as it will look when it is published. */
function asksForPreview(request: FastifyRequest): boolean {
  return queryOf(request).has('preview')
}

/** Whether an owner or admin asks for it: other people are answered as if it did not exist. */
export function isPreview(
  request: FastifyRequest,
  session: BrowserSession | undefined,
): session is BrowserSession {
  if (session === undefined || !asksForPreview(request) || !isOperator(session.roles)) return false
  checkFactor(request, session)
  return true
}

/** Marks the page, so that a draft is not taken for what visitors see. */
export function withPreviewMark(
  frame: SiteFrame,
  isMarked: boolean,
  { isPublic }: { readonly isPublic: boolean },
): SiteFrame {
  if (!isMarked) return frame
  if (isPublic) {
    return { ...frame, isMarked, notice: 'This page is public. Visitors see it like this.' }
  }
  return {
    ...frame,
    isMarked,
    notice: { warning: 'This is a preview. Only owners and admins can see it.' },
  }
}
