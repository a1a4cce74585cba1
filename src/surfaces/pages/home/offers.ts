import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  findPublicPlan,
  findPublicProduct,
  type ProductOfViewer,
} from '../../../domain/commerce/public-offers.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession, memberOf } from '../browser-session.ts'
import { sendPage } from '../page-request.ts'
import { sendFile } from '../send-file.ts'
import { frameFor, slugOf } from '../site-frame.ts'
import { planPage, productPage } from '../views/offer.tsx'
import { isPreview, withPreviewMark } from './preview.ts'

/** The pages of plans and downloads; the owners of a download get its file. */
export function addOfferRoutes(app: FastifyInstance, context: AppContext): void {
  const { files } = context

  app.get('/plans/:slug', async (request, reply) => {
    const session = await findBrowserSession(request)
    const isMarked = isPreview(request, session)
    const plan = await findPublicPlan(request.at, slugOf(request), isMarked)
    if (plan === undefined) throw notFound()
    const frame = frameFor(context, request, reply, session)
    const { contactEmail } = request.school
    const page = planPage({ ...withPreviewMark(frame, isMarked, plan), plan, contactEmail })
    return sendPage(reply, request, 'site', page)
  })

  app.get('/products/:slug', async (request, reply) => {
    const session = await findBrowserSession(request)
    const isMarked = isPreview(request, session)
    const product = await loadProduct(request, session, isMarked)
    const frame = frameFor(context, request, reply, session)
    const { contactEmail } = request.school
    const page = productPage({
      ...withPreviewMark(frame, isMarked, product),
      product,
      contactEmail,
    })
    return sendPage(reply, request, 'site', page)
  })

  if (files === undefined) return
  app.get('/products/:slug/file', async (request, reply) => {
    const session = await loadBrowserSession(request)
    const { isOwned, file } = await loadProduct(request, session)
    if (!isOwned) throw new RequestRefusedError(403, 'You do not have this download.')
    return await sendFile(request, reply, files, file?.id)
  })
}

async function loadProduct(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  isMarked = false,
): Promise<ProductOfViewer> {
  const { at } = request
  const product = await findPublicProduct(at, slugOf(request), memberOf(session), isMarked)
  if (product === undefined) throw notFound()
  return product
}

function notFound(): RequestRefusedError {
  return new RequestRefusedError(404, 'This page does not exist, or it is no longer public.')
}
