import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isOperator } from '../../../domain/actor/actor.ts'
import { findFile, isPublicFile } from '../../../domain/content/file-operations.ts'
import { UUID } from '../../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import { checkFactor } from '../second-factor/factor-needed.ts'
import { sendStored } from '../send-file.ts'

/**
 * The files of a school, for everyone who knows the address. Those of lectures and products are here for owners and admins
 * alone: members download them at the lecture or the product, which decides whether they may.
 */
export function addFileRoute(app: FastifyInstance, store: FileStore): void {
  app.get('/files/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const file = UUID.test(id) ? await findFile(request.at, id) : undefined
    if (file === undefined) return reply.callNotFound()
    if (isPublicFile(file)) {
      reply.header('etag', `"${file.sha256}"`)
      return await sendStored(reply, store, file, 'public')
    }
    // As if there were no such file, so that an address cannot be tried out.
    if (!(await isOfOperator(request))) return reply.callNotFound()
    return await sendStored(reply, store, file, 'private')
  })
}

async function isOfOperator(request: FastifyRequest): Promise<boolean> {
  const session = await findBrowserSession(request)
  if (session === undefined || !isOperator(session.roles)) return false
  checkFactor(request, session)
  return true
}
