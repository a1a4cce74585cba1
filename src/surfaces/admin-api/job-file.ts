import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { loadJobFile, readJobFile } from '../../domain/jobs/job-file.ts'
import { id } from '../../domain/operation/fields.ts'
import { OperationRefused } from '../../domain/operation/refusal.ts'
import { apiHeaders } from '../../foundation/http/security-headers.ts'
import { UUID } from '../../foundation/protocol/token-format.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import { apiActor } from './access.ts'
import { Problem, problemOf } from './problem.ts'
import { type DescribedRoute, routerPath } from './route.ts'

const bytes = { schema: { type: 'string', format: 'binary' } }

export const JOB_FILE_ROUTE: DescribedRoute = {
  method: 'GET',
  path: '/jobs/{id}/file',
  operation: {
    name: 'jobs.download',
    title: 'Download the file of a job',
    summary:
      'The file that an export made, for the person who started it with the same client. The list of jobs has its address.',
    kind: 'read',
    scopes: [],
    judgesScopes: true,
    input: z.strictObject({ id }),
    output: z.strictObject({}),
    examples: [],
  },
  rows: { file: 'rows', content: { 'application/x-ndjson': bytes, 'text/csv': bytes } },
}

export function addJobFileRoute(
  scope: FastifyInstance,
  store: FileStore,
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  scope.get(routerPath(JOB_FILE_ROUTE.path), { onRequest }, async (request, reply) => {
    const caller = request.operator
    if (caller === undefined) throw new Error('the handler ran without its caller')
    const { id: job } = request.params as { id: string }
    if (!UUID.test(job)) {
      throw new Problem({ status: 404, code: 'not_found', detail: 'There is no such job.' })
    }
    try {
      const file = await loadJobFile(request.at, apiActor(request, caller), job)
      return reply
        .headers(apiHeaders('no-store'))
        .header('vary', 'Authorization')
        .header('content-type', file.contentType)
        .header('content-length', file.sizeBytes)
        .header('content-disposition', `attachment; filename="${file.name}"`)
        .send(Readable.from(readJobFile(store, file)))
    } catch (error) {
      throw error instanceof OperationRefused ? problemOf(error.refusal) : error
    }
  })
}
