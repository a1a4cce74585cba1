import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findCopy, findCopyFiles, startCopy } from '../../../domain/leaving/copy-job.ts'
import { copyAsJson, readCopy } from '../../../domain/leaving/read-copy.ts'
import { setPageHeaders } from '../../../foundation/http/security-headers.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { requireRecentProof } from '../step-up/recent-proof.ts'
import { dataPage } from '../views/data.tsx'
import { copyAsHtml } from '../views/data-copy.tsx'

const PATH = '/account/data'

const NOTICES = {
  started: 'Your copy is being made. Come back in a minute.',
  open: { warning: 'A copy is being made already.' },
  too_soon: { warning: 'You have asked for a copy today. You can ask for another one tomorrow.' },
  busy: { warning: 'Many people ask for copies right now. Try again in an hour.' },
}

const TYPES = { html: 'text/html; charset=utf-8', json: 'application/json; charset=utf-8' }

/** A person asks for a copy of what this school holds about them, and downloads it. */
export function addDataRoutes(app: FastifyInstance, context: AppContext): void {
  const { files } = context

  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const page = dataPage({
      ...frameFor(context, request, reply, session, NOTICES),
      copy: await findCopy(request.at, session.person.id),
      timeZone: request.school.timeZone,
      storesFiles: files !== undefined,
    })
    return sendPage(reply, request, 'site', page)
  })

  if (files === undefined) return

  app.post(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request, PATH)
    checkedForm(context.keyring, request, session)
    requireRecentProof(request, session, PATH)
    const { person, roles } = session
    const done = await request.at.transaction((tx) =>
      startCopy(tx, {
        ...{ via: 'account', userId: person.id, roles },
        ...{ origin: request.school.origin, requestId: request.id },
      }),
    )
    return redirectTo(reply, request, 'site', `${PATH}?done=${done}`)
  })

  for (const format of ['html', 'json'] as const) {
    app.get(`${PATH}/:id/copy.${format}`, (request, reply) =>
      download(request, reply, files, format),
    )
  }
}

async function download(
  request: FastifyRequest,
  reply: FastifyReply,
  files: FileStore,
  format: 'html' | 'json',
): Promise<FastifyReply> {
  const session = await loadBrowserSession(request, PATH)
  requireRecentProof(request, session, PATH)
  const { id } = request.params as { id: string }
  const copy = isUuid(id) ? await findCopyFiles(request.at, session.person.id, id) : undefined
  if (copy === undefined) return redirectTo(reply, request, 'site', PATH)
  const { name, origin, subdomain } = request.school
  const lines = readCopy(files, copy.keys)
  const text =
    format === 'html'
      ? copyAsHtml(lines, { schoolName: name, madeAt: copy.madeAt })
      : copyAsJson(lines, { school: name, origin, made_at: copy.madeAt })
  return setPageHeaders(reply, origin, 'site')
    .header('content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
    .header('content-disposition', `attachment; filename="${subdomain}-my-data.${format}"`)
    .type(TYPES[format])
    .send(Readable.from(text))
}
