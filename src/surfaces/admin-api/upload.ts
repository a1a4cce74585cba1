import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  fileName,
  fitsFormat,
  plainType,
  recordUpload,
} from '../../domain/content/file-operations.ts'
import {
  type FileStore,
  FileTooLargeError,
  keyOf,
  type ReceivedBytes,
  type StoredBytes,
} from '../../foundation/storage/file-store.ts'
import { sendAnswer } from './answer.ts'
import { Problem } from './problem.ts'
import { planOf, queryOf, type Route, routerPath, wrongParameters } from './route.ts'
import { answerWrite, checkKey } from './write.ts'

export const UPLOAD_ROUTE = {
  method: 'POST',
  path: '/files',
  operation: recordUpload,
  fileWith: ['name'],
} as const satisfies Route

const PLAN = planOf(UPLOAD_ROUTE)

/** The only address that takes bytes instead of JSON. */
export function addUploadRoute(
  scope: FastifyInstance,
  store: FileStore,
  maxBytes: number,
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
  scope.route({
    method: 'POST',
    url: routerPath(UPLOAD_ROUTE.path),
    onRequest,
    handler: async (request, reply) => {
      const caller = request.operator
      if (caller === undefined) throw new Error('the handler ran without its caller')
      const name = nameOf(request)
      const content_type = plainType(request.headers['content-type'] ?? '')
      const inputOf = ({ sizeBytes, sha256 }: ReceivedBytes) => ({
        ...{ name, content_type, size_bytes: sizeBytes, sha256: sha256.toString('hex') },
        storage_key: keyOf(request.school.id, sha256),
      })
      const stored = await storeBody(request, store, maxBytes, async (received) => {
        checkBytes(content_type, received)
        await checkKey(request, caller, inputOf(received))
      })
      const input = inputOf(stored)
      return sendAnswer(request, reply, await answerWrite(request, UPLOAD_ROUTE, caller, input))
    },
  })
}

function nameOf(request: FastifyRequest): string {
  const name = fileName.safeParse(queryOf(request, PLAN.query).name ?? '')
  if (name.success) return name.data
  const detail = name.error.issues[0]?.message ?? 'Send the name of the file.'
  throw wrongParameters([{ parameter: 'name', code: 'invalid', detail }])
}

async function storeBody(
  request: FastifyRequest,
  store: FileStore,
  maxBytes: number,
  check: (received: ReceivedBytes) => Promise<void>,
): Promise<StoredBytes> {
  const body = request.body as AsyncIterable<Uint8Array> | undefined
  try {
    return await store.write(request.school.id, body ?? NOTHING, maxBytes, check)
  } catch (error) {
    if (!(error instanceof FileTooLargeError)) throw error
    throw new Problem({
      status: 413,
      code: 'too_large',
      detail: `Send at most ${maxBytes} bytes.`,
    })
  }
}

const NOTHING: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
}

function checkBytes(contentType: string, { sizeBytes, head }: ReceivedBytes): void {
  const problem =
    sizeBytes === 0
      ? { code: 'empty' as const, detail: 'Send the bytes of the file as the body.' }
      : fitsFormat(contentType, head)
        ? undefined
        : { code: 'wrong_format' as const, detail: `The bytes are not ${contentType}.` }
  if (problem === undefined) return
  throw new Problem({
    status: 422,
    code: 'invalid_input',
    detail: problem.detail,
    errors: [{ pointer: '', ...problem }],
  })
}
