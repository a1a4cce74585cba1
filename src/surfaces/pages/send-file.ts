import type { FastifyReply, FastifyRequest } from 'fastify'
import { servedType } from '../../domain/content/file-format.ts'
import { findFile } from '../../domain/content/file-operations.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { downloadHeaders } from '../../foundation/http/download-headers.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'

/** Sends an upload to a person who may have it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: FileStore,
  fileId: string | undefined,
): Promise<FastifyReply> {
  const file = fileId === undefined ? undefined : await findFile(request.at, fileId)
  const bytes = file === undefined ? undefined : await store.read(file.storageKey)
  if (file === undefined || bytes === undefined) {
    throw new RequestRefusedError(404, 'There is no file here.')
  }
  const headers = downloadHeaders({ ...file, servedType: servedType(file.contentType) }, 'private')
  return reply.headers(headers).send(bytes)
}
