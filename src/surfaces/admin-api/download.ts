import type { FastifyInstance } from 'fastify'
import { servedType } from '../../domain/content/file-format.ts'
import { findFile } from '../../domain/content/file-operations.ts'
import { UUID } from '../../foundation/protocol/uuid.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'

/**
 * Uploads share the origin with sign-in, so none of them may ever run there: each is a download, its
 * type is not guessed, and a browser that shows it anyway does so in a sandbox without scripts.
 */
const HARMLESS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // A file never changes under its id.
  'cache-control': 'public, max-age=86400, immutable',
} as const

/** The files of a school, to whoever knows their address. */
export function addDownloadRoute(app: FastifyInstance, store: FileStore): void {
  app.get('/files/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const file = UUID.test(id) ? await findFile(request.at, id) : undefined
    const bytes = file === undefined ? undefined : await store.read(file.storageKey)
    if (file === undefined || bytes === undefined) return reply.callNotFound()
    return reply
      .headers(HARMLESS)
      .header('content-type', servedType(file.contentType))
      .header('content-length', file.sizeBytes)
      .header('etag', `"${file.sha256}"`)
      .header('content-disposition', attachment(file.name))
      .send(bytes)
  })
}

/** @see RFC 6266 §4.3 */
function attachment(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
