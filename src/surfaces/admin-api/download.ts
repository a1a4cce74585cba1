import type { FastifyInstance } from 'fastify'
import { servedType } from '../../domain/content/file-format.ts'
import { findFile } from '../../domain/content/file-operations.ts'
import { UUID } from '../../foundation/protocol/uuid.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import { visibleText } from '../../foundation/text/visible-text.ts'

/**
 * Uploads share the origin with sign-in, so no upload may ever run as a script there. Each is served as
 * a download, and a browser that shows it uses a sandbox.
 */
const DOWNLOAD_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // The content of a file id never changes.
  'cache-control': 'public, max-age=86400, immutable',
} as const

/** The files of a school. Every client that knows the address may download them. */
export function addDownloadRoute(app: FastifyInstance, store: FileStore): void {
  app.get('/files/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const file = UUID.test(id) ? await findFile(request.at, id) : undefined
    const bytes = file === undefined ? undefined : await store.read(file.storageKey)
    if (file === undefined || bytes === undefined) return reply.callNotFound()
    return reply
      .headers(DOWNLOAD_HEADERS)
      .header('content-type', servedType(file.contentType))
      .header('content-length', file.sizeBytes)
      .header('etag', `"${file.sha256}"`)
      .header('content-disposition', attachment(file.name))
      .send(bytes)
  })
}

/** @see RFC 6266 §4.3 */
function attachment(name: string): string {
  const encoded = encodeURIComponent(visibleText(name)).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
