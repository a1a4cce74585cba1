import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readHeadings } from '../../../../../domain/bulk/file-headings.ts'
import type { ColumnNames } from '../../../../../domain/bulk/row-reader.ts'
import {
  checkImport,
  columnsOfFile,
  EXPORTED,
  exportList,
  IMPORTED,
  importChecked,
  recheckImport,
} from '../../../../../domain/bulk/transfer-operations.ts'
import { loadJobFile, readJobFile } from '../../../../../domain/jobs/job-file.ts'
import { OperationRefused } from '../../../../../domain/operation/refusal.ts'
import type { Outcome } from '../../../../../domain/operation.ts'
import { uuidv7 } from '../../../../../foundation/crypto/random.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import { boundaryIn, readMultipart, textOfPart } from '../../../../../foundation/http/multipart.ts'
import { setPageHeaders } from '../../../../../foundation/http/security-headers.ts'
import { type FileStore, FileTooLargeError } from '../../../../../foundation/storage/file-store.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { checkPostToken, redirectTo, sendPage } from '../../../page-request.ts'
import { queryOf } from '../../../site-frame.ts'
import { requireRecentProof } from '../../../step-up/recent-proof.ts'
import { operatorActor } from '../../operator.ts'
import type { Row } from '../row.ts'
import { exportPage } from '../views/export-page.tsx'
import { importPage } from '../views/import-page.tsx'
import { enter, idIn, type Visit } from './visit.ts'

export const JOBS_PATH = '/admin/jobs'
const IMPORT_PATH = `${JOBS_PATH}/import`
const EXPORT_PATH = `${JOBS_PATH}/export`
const FIELD_BYTES = 4096

/** The page that asks for the format of an export of these rows. */
export function exportPath(resource: string, only: Row): string {
  const query = new URLSearchParams({ resource })
  if (Object.keys(only).length > 0) query.set('only', JSON.stringify(only))
  return `${EXPORT_PATH}?${query}`
}

/** Imports from a file of the person, and the file that an export made. */
export function addJobRoutes(app: FastifyInstance, context: AppContext): void {
  const { files, limits } = context
  if (files === undefined) return
  /** An export may hold everything about everybody, and an import may set roles. */
  const enterProven = async (request: FastifyRequest, reply: FastifyReply, returnTo?: string) => {
    const visit = await enter(context, request, reply)
    requireRecentProof(request, visit.operator, returnTo)
    return visit
  }
  app.get(`${JOBS_PATH}/:id/file`, async (request, reply) => {
    // Back to the page of the job: a download leaves the browser on the page that it was asked from.
    const visit = await enterProven(request, reply, `${JOBS_PATH}/${idIn(request)}`)
    return await sendFile(request, reply, visit, files)
  })

  addExportRoutes(app, context)
  addCheckedRoutes(app, context)

  const show = (request: FastifyRequest, reply: FastifyReply, visit: Visit, problem?: string) => {
    const asked = queryOf(request).get('resource') ?? ''
    const page = importPage({
      ...visit.frame(),
      here: JOBS_PATH,
      path: IMPORT_PATH,
      back: { url: JOBS_PATH, label: 'Background work' },
      maxBytes: limits.uploadBytes,
      kinds: IMPORTED,
      kind: IMPORTED.find((name) => name === asked) ?? 'students',
      problem,
    })
    return sendPage(reply, request, 'site', page, problem === undefined ? 200 : 422)
  }

  app.get(IMPORT_PATH, async (request, reply) =>
    show(request, reply, await enterProven(request, reply)),
  )

  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(IMPORT_PATH, async (request, reply) => {
      const visit = await enterProven(request, reply)
      const received = await receive(context, request, visit, files)
      if ('problem' in received) return show(request, reply, visit, received.problem)
      const columns = await columnsIn(request, files, received)
      const outcome = await visit.perform(checkImport, { ...received, columns })
      if (outcome.kind === 'done') {
        return redirectTo(reply, request, 'site', `${JOBS_PATH}/${received.id}?done=started`)
      }
      await files.remove(received.source)
      const told = outcome.kind === 'conflict' ? outcome.detail : WRONG_KIND
      return show(request, reply, visit, told)
    })
  })
}

async function columnsIn(
  request: FastifyRequest,
  files: FileStore,
  { source, format, resource }: ReceivedRows,
): Promise<ColumnNames> {
  const bytes = await files.read(source)
  if (bytes === undefined) throw new Error('the file that was stored is gone')
  try {
    return await columnsOfFile(request.at, resource, await readHeadings(format, bytes))
  } finally {
    bytes.destroy()
  }
}

/** What can be done with a file that was checked: import it, or check it again with other columns. */
function addCheckedRoutes(app: FastifyInstance, context: AppContext): void {
  const goOn = (
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: Outcome<{ readonly job_id: string }>,
  ) => {
    if (outcome.kind === 'done') {
      const to = `${JOBS_PATH}/${outcome.output.job_id}?done=started`
      return redirectTo(reply, request, 'site', to)
    }
    throw new RequestRefusedError(
      409,
      outcome.kind === 'conflict' ? outcome.detail : 'Choose a column for each heading again.',
    )
  }

  app.post(`${JOBS_PATH}/:id/import`, async (request, reply) => {
    const visit = await enter(context, request, reply)
    visit.form()
    return goOn(request, reply, await visit.perform(importChecked, { id: idIn(request) }))
  })

  app.post(`${JOBS_PATH}/:id/columns`, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const chosen = form.getAll('column')
    const columns = Object.fromEntries(
      form.getAll('heading').map((name, place) => [name, chosen[place] ?? '']),
    )
    const input = { id: idIn(request), columns }
    return goOn(request, reply, await visit.perform(recheckImport, input))
  })
}

/** Exports of what a list shows. */
function addExportRoutes(app: FastifyInstance, context: AppContext): void {
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    asked: URLSearchParams,
    problem?: string,
  ) => {
    const resource = EXPORTED.find((name) => name === asked.get('resource'))
    if (resource === undefined) throw new RequestRefusedError(404, 'There is no such list.')
    const page = exportPage({
      ...visit.frame(),
      here: JOBS_PATH,
      path: EXPORT_PATH,
      back: { url: JOBS_PATH, label: 'Background work' },
      resource,
      only: filtersIn(asked),
      problem,
    })
    return sendPage(reply, request, 'site', page, problem === undefined ? 200 : 422)
  }

  app.get(EXPORT_PATH, async (request, reply) => {
    const visit = await enter(context, request, reply)
    return show(request, reply, visit, queryOf(request))
  })

  app.post(EXPORT_PATH, async (request, reply) => {
    const visit = await enter(context, request, reply)
    const form = visit.form()
    const outcome = await visit.perform(exportList, {
      resource: form.get('resource') ?? '',
      format: form.get('format') === 'ndjson' ? 'ndjson' : 'csv',
      only: filtersIn(form),
    })
    if (outcome.kind === 'done') {
      return redirectTo(reply, request, 'site', `${JOBS_PATH}/${outcome.output.id}?done=started`)
    }
    const told = outcome.kind === 'conflict' ? outcome.detail : WRONG_FILTER
    return show(request, reply, visit, form, told)
  })
}

const WRONG_FILTER = 'These filters cannot be exported. Go back to the list and choose others.'

/** The operation judges the values. A text that cannot be read must not export everything. */
function filtersIn(asked: URLSearchParams): Row {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(asked.get('only') ?? '{}'))
  } catch {
    throw new RequestRefusedError(400, WRONG_FILTER)
  }
}

const WRONG_KIND = 'Choose what the rows of the file are.'

interface ReceivedRows {
  readonly id: string
  readonly resource: string
  readonly format: 'csv' | 'ndjson'
  readonly source: string
}

/** Nothing is stored before the form's token is checked. The fields come before the file. */
async function receive(
  context: AppContext,
  request: FastifyRequest,
  visit: Visit,
  files: FileStore,
): Promise<ReceivedRows | { readonly problem: string }> {
  const boundary = boundaryIn(request.headers['content-type'])
  const body = request.body as AsyncIterable<Uint8Array>
  let isOurs = false
  let resource = ''
  for await (const part of readMultipart(body, boundary)) {
    if (part.name === 'form_token' && !isOurs) {
      const token = await textOfPart(part, FIELD_BYTES)
      checkPostToken(context.keyring, request, visit.operator, token)
      isOurs = true
    } else if (!isOurs) break
    else if (part.name === 'resource') resource = await textOfPart(part, FIELD_BYTES)
    else if (part.name === 'file') {
      const name = part.fileName ?? ''
      if (name === '') return { problem: 'Choose a file first.' }
      if (!IMPORTED.includes(resource)) return { problem: WRONG_KIND }
      const id = uuidv7()
      const format = /\.csv$/i.test(name) ? 'csv' : 'ndjson'
      try {
        const { key } = await files.write(id, part.bytes, context.limits.uploadBytes)
        return { id, resource, format, source: key }
      } catch (error) {
        if (!(error instanceof FileTooLargeError)) throw error
        return { problem: 'The file is larger than this server takes. Split it.' }
      }
    }
  }
  if (!isOurs) checkPostToken(context.keyring, request, visit.operator, undefined)
  return { problem: 'Choose a file first.' }
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  files: FileStore,
): Promise<FastifyReply> {
  try {
    const file = await loadJobFile(
      request.at,
      operatorActor(request, visit.operator),
      idIn(request),
    )
    return setPageHeaders(reply, request.school.origin, 'site')
      .header('content-type', file.contentType)
      .header('content-length', file.sizeBytes)
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .send(Readable.from(readJobFile(files, file)))
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error
    throw new RequestRefusedError(
      404,
      'Only the person who started this job can download its file.',
    )
  }
}
