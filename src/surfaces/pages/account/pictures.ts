import type { FastifyInstance } from 'fastify'
import { findPicture, PICTURE_PATH } from '../../../domain/people/profile.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { UUID } from '../../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'

/**
 * Like uploads of schools, a picture is a download in a sandbox. Apps show it on their own pages: it is the claim
 * `picture`. An hour, because a person who removes their picture wants it gone.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'content-disposition': 'attachment',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=3600, immutable',
} as const

/** Pictures of people. Everyone who knows the address may load them. */
export function addPictureRoute(app: FastifyInstance, store: FileStore): void {
  app.get(`${PICTURE_PATH}:id`, async (request, reply) => {
    const { id } = request.params as { id: string }
    const picture = UUID.test(id) ? await findPicture(acrossSchools(request.at), id) : undefined
    const bytes = picture === undefined ? undefined : await store.read(picture.storageKey)
    if (picture === undefined || bytes === undefined) return reply.callNotFound()
    return reply
      .headers(HEADERS)
      .header('content-type', picture.contentType)
      .header('content-length', picture.sizeBytes)
      .send(bytes)
  })
}
