import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findLogo,
  LOGO_PATH,
  MOST_LOGO_BYTES,
  setLogo,
} from '../../../domain/clients/application-details.ts'
import type { ListedClient } from '../../../domain/clients/list-clients.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { cleanPicture } from '../../../foundation/pictures/clean-picture.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { readPictureForm } from '../account/picture-form.ts'
import { redirectTo, sendPage } from '../page-request.ts'
import { requireRecentProof } from '../step-up/recent-proof.ts'
import { applicationPath } from '../views/admin/admin-page.tsx'
import { type LogoProblem, logoPage } from '../views/admin/logo-panel.tsx'
import { adminFrame, operatorActor } from './operator.ts'

/** A picture in a sandbox. A new logo has a new address, so that browsers may keep it. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=86400, immutable',
} as const

interface Entered {
  readonly operator: BrowserSession
  readonly application: ListedClient
}

type Enter = (request: FastifyRequest, returnTo?: string) => Promise<Entered>

export function addLogoRoutes(
  app: FastifyInstance,
  context: AppContext,
  path: string,
  enter: Enter,
): void {
  /** A thief with an old session must not make one app look like another, to people who are asked for consent. */
  const enterProven = async (request: FastifyRequest) => {
    const { clientId } = request.params as { clientId: string }
    const entered = await enter(request, applicationPath(clientId, '/logo'))
    requireRecentProof(request, entered.operator)
    return entered
  }
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    { operator, application }: Entered,
    problem?: LogoProblem,
  ) => {
    const frame = adminFrame(context, request, reply, operator)
    const page = logoPage({ ...frame, application, problem })
    return sendPage(reply, request, 'site', page, problem === undefined ? 200 : 422)
  }

  app.get(`${path}/logo`, async (request, reply) =>
    show(request, reply, await enterProven(request)),
  )

  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(`${path}/logo`, async (request, reply) => {
      const entered = await enterProven(request)
      const { operator, application } = entered
      const page = applicationPath(application.clientId)
      const sent = await readPictureForm(context.keyring, request, operator, MOST_LOGO_BYTES)
      const by = operatorActor(request, operator)
      if (sent === 'remove') {
        await setLogo(request.at, by, application.clientId, undefined)
        return redirectTo(reply, request, 'site', `${page}?done=no-logo`)
      }
      const picture = typeof sent === 'string' ? sent : cleanLogo(sent)
      if (typeof picture === 'string') return show(request, reply, entered, picture)
      await setLogo(request.at, by, application.clientId, picture)
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
