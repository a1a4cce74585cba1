import type { FastifyInstance } from 'fastify'
import { servedType } from '../../domain/content/file-format.ts'
import { findFile } from '../../domain/content/file-operations.ts'
import { downloadHeaders } from '../../foundation/http/download-headers.ts'
import { UUID } from '../../foundation/protocol/uuid.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'

/** The files of a school. Every client that knows the address may download them. */
export function addDownloadRoute(app: FastifyInstance, store: FileStore): void {
  app.get('/files/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const file = UUID.test(id) ? await findFile(request.at, id) : undefined
    const bytes = file === undefined ? undefined : await store.read(file.storageKey)
    if (file === undefined || bytes === undefined) return reply.callNotFound()
    return reply
      .headers(downloadHeaders({ ...file, servedType: servedType(file.contentType) }, 'public'))
      .header('etag', `"${file.sha256}"`)
      .send(bytes)
  })
}
