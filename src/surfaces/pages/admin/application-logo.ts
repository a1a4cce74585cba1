import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  findLogo,
  LOGO_PATH,
  MOST_LOGO_BYTES,
  setLogo,
} from '../../../domain/clients/applications/logo.ts'
import type { ListedClient } from '../../../domain/clients/list-clients.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { cleanPicture } from '../../../foundation/pictures/clean-picture.ts'
import { isUuid } from '../../../foundation/protocol/uuid.ts'
import type { AppContext } from '../../../gate/context.ts'
import { readPictureForm } from '../account/picture-form.ts'
import { redirectTo, sendPage } from '../page-request.ts'
import { applicationPath } from '../views/admin/admin-page.tsx'
import { logoRefusedPage } from '../views/admin/logo-panel.tsx'
import { adminFrame, operatorActor } from './operator.ts'

/** A picture in a sandbox. A new logo has a new address, so that browsers may keep it. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=86400, immutable',
} as const

type Enter = (
  request: FastifyRequest,
  returnTo?: string,
) => Promise<{ operator: BrowserSession; application: ListedClient }>

export function addLogoRoutes(
  app: FastifyInstance,
  context: AppContext,
  path: string,
  enter: Enter,
): void {
  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(`${path}/logo`, async (request, reply) => {
      const { clientId } = request.params as { clientId: string }
      const page = applicationPath(clientId)
      const { operator } = await enter(request, page)
      const sent = await readPictureForm(context.keyring, request, operator, MOST_LOGO_BYTES)
      const by = operatorActor(request, operator)
      if (sent === 'remove') {
        await setLogo(request.at, by, clientId, undefined)
        return redirectTo(reply, request, 'site', `${page}?done=no-logo`)
      }
      const picture = typeof sent === 'string' ? sent : cleanLogo(sent)
      if (typeof picture === 'string') {
        const frame = adminFrame(context, request, reply, operator)
        const refused = logoRefusedPage({ ...frame, clientId, problem: picture })
        return sendPage(reply, request, 'site', refused, 422)
      }
      await setLogo(request.at, by, clientId, picture)
      return redirectTo(reply, request, 'site', `${page}?done=logo`)
    })
  })
}

/** Cleaning can make a small picture larger: the orientation gets a segment of its own. */
function cleanLogo(bytes: Buffer) {
  const picture = cleanPicture(bytes)
  if (typeof picture === 'string') return picture
  return picture.bytes.length > MOST_LOGO_BYTES ? 'too_large' : picture
}

/** Logos of applications, for everyone: the consent page of a person shows them. */
export function addPublicLogoRoute(app: FastifyInstance): void {
  app.get(`${LOGO_PATH}:id`, async (request, reply) => {
    const { id } = request.params as { id: string }
    const logo = isUuid(id) ? await findLogo(request.at, id) : undefined
    if (logo === undefined) return reply.callNotFound()
    return reply.headers(HEADERS).header('content-type', logo.contentType).send(logo.bytes)
  })
}
