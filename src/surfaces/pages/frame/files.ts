import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFile, type StoredFile, servedType } from '../../../domain/content/file-operations.ts'
import { loadAssets } from '../../../foundation/html/assets.ts'
import { themeStylesheet } from '../../../foundation/html/theme.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { nameSurface } from '../../../foundation/http/observe-requests.ts'
import { downloadHeaders } from '../../../foundation/http/security-headers.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'
import { themeVersion } from '../../../gate/branding.ts'

/** Sends an upload to a person who may have it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: FileStore,
  fileId: string | undefined,
): Promise<FastifyReply> {
  const file = fileId === undefined ? undefined : await findFile(request.schoolDb, fileId)
  if (file === undefined) throw noFile()
  return await sendStored(reply, store, file, 'private')
}

export async function sendStored(
  reply: FastifyReply,
  store: FileStore,
  file: StoredFile,
  cache: 'public' | 'private',
): Promise<FastifyReply> {
  const bytes = await store.read(file.storageKey)
  if (bytes === undefined) throw noFile()
  const headers = downloadHeaders({ ...file, servedType: servedType(file.contentType) }, cache)
  return reply.headers(headers).send(bytes)
}

function noFile(): RequestRefusedError {
  return new RequestRefusedError(404, 'There is no file here.')
}

/** The address contains a hash of the content, so a browser never has to fetch it again. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const FOR_A_DAY = 'public, max-age=86400'

/** Every school serves the same ones, and hosts without a school do, for their error pages. */
export function addAssetRoutes(app: FastifyInstance): void {
  const { byPath, byStablePath } = loadAssets()
  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    const add = (cacheControl: string, path: string, contentType: string, body: Buffer): void => {
      scope.get(path, (_request, reply) => {
        reply.header('cache-control', cacheControl).type(contentType).send(body)
      })
    }
    for (const [path, { contentType, body }] of byPath) add(FOR_EVER, path, contentType, body)
    for (const [path, { contentType, body }] of byStablePath) {
      add(FOR_A_DAY, path, contentType, body)
    }
  })
}

/** The colours of a school. */
export function addThemeRoute(app: FastifyInstance): void {
  app.get('/theme.:version.css', (request, reply) => {
    const { version } = request.params as { version: string }
    const current = version === themeVersion(request.school)
    reply
      .header('cache-control', current ? FOR_EVER : 'no-store')
      .type('text/css; charset=utf-8')
      .send(themeStylesheet(request.school.appearance))
  })
}
