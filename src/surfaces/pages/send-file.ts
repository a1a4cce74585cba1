import type { FastifyReply, FastifyRequest } from 'fastify'
import { findFile, type StoredFile, servedType } from '../../domain/content/file-operations.ts'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'
import { downloadHeaders } from '../../foundation/http/security-headers.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'

/** Sends an upload to a person who may have it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: FileStore,
  fileId: string | undefined,
): Promise<FastifyReply> {
  const file = fileId === undefined ? undefined : await findFile(request.at, fileId)
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
