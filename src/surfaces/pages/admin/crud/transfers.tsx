import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readHeadings } from '../../../../domain/bulk/file-headings.ts'
import type { ColumnNames } from '../../../../domain/bulk/row-reader.ts'
import {
  checkImport,
  columnsOfFile,
  EXPORTED,
  exportList,
  IMPORTED,
  importChecked,
  recheckImport,
} from '../../../../domain/catalogue/transfer-operations.ts'
import { loadJobFile, readJobFile } from '../../../../domain/jobs/job-file.ts'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import { OperationRefused } from '../../../../domain/operation/refusal.ts'
import { Alert, Button, Form } from '../../../../foundation/html/components.tsx'
import { Select } from '../../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import { setPageHeaders } from '../../../../foundation/http/security-headers.ts'
import type { FileStore } from '../../../../foundation/storage/file-store.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { queryOf } from '../../frame/layout.tsx'
import { requireRecentProof } from '../../frame/recent-proof.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { importPage, kindInWords } from './import-page.tsx'
import { idIn } from './named.ts'
import { inWords } from './object-table.tsx'
import type { Link } from './resource.ts'
import type { Row } from './row.ts'
import { type ReceivedRows, receiveRows, type WantedRows, WRONG_KIND, wantedIn } from './upload.tsx'

export const JOBS_PATH = '/admin/jobs'
const IMPORT_PATH = `${JOBS_PATH}/import`
const EXPORT_PATH = `${JOBS_PATH}/export`

/** The page that asks for the format of an export of these rows. */
export function exportPath(resource: string, only: Row): string {
  return withQuery(EXPORT_PATH, resource, 'only', only)
}

/** The page that asks for a file of rows that belong to the same object as those of a list. */
export function importPath(resource: string, within: Row): string {
  return withQuery(IMPORT_PATH, resource, 'within', within)
}

function withQuery(path: string, resource: string, name: string, values: Row): string {
  const query = new URLSearchParams({ resource })
  if (Object.keys(values).length > 0) query.set(name, JSON.stringify(values))
  return `${path}?${query}`
}

/** Imports from a file of the person, and the file that an export made. */
export function addJobRoutes(app: FastifyInstance, context: AppContext): void {
  const { files, limits } = context
  if (files === undefined) return
  /** An export may hold everything about everybody, and an import may set roles. */
  const enterProven = async (request: FastifyRequest, reply: FastifyReply, returnTo?: string) => {
    const visit = await operatorVisit(context, request, reply)
    requireRecentProof(request, visit.session, returnTo)
    return visit
  }
  app.get(`${JOBS_PATH}/:id/file`, async (request, reply) => {
    // Back to the page of the job: a download leaves the browser on the page that it was asked
    // from.
    const visit = await enterProven(request, reply, `${JOBS_PATH}/${idIn(request)}`)
    return await sendFile(visit, files)
  })

  addExportRoutes(app, context)
  addCheckedRoutes(app, context)

  const show = (visit: OperatorVisit, { resource, within }: WantedRows, problem?: string) => {
    const { request } = visit
    const page = importPage({
      ...visit.frame(),
      here: JOBS_PATH,
      path: IMPORT_PATH,
      back: { url: JOBS_PATH, label: 'Background work' },
      maxBytes: limits.uploadBytes,
      kinds: IMPORTED,
      kind: IMPORTED.find((name) => name === resource) ?? 'students',
      within,
      invites: request.school.invitesPeople && context.mailer !== undefined,
      problem,
    })
    return visit.page(page, problem === undefined ? 200 : 422)
  }

  app.get(IMPORT_PATH, async (request, reply) =>
    show(await enterProven(request, reply), wantedIn(queryOf(request))),
  )

  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(IMPORT_PATH, async (request, reply) => {
      const visit = await enterProven(request, reply)
      const received = await receiveRows(visit, files)
      if ('problem' in received) return show(visit, received, received.problem)
      let isKept = false
      try {
        const columns = await columnsIn(request, files, received)
        const outcome = await visit.perform(checkImport, { ...received, columns })
        isKept = outcome.kind === 'done'
        if (isKept) {
          return visit.goTo(`${JOBS_PATH}/${received.id}?done=started`)
        }
        const told = outcome.kind === 'conflict' ? outcome.detail : WRONG_KIND
        return await show(visit, received, told)
      } finally {
        if (!isKept) await files.remove(received.source)
      }
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
    return await columnsOfFile(request.schoolDb, resource, await readHeadings(format, bytes))
  } finally {
    bytes.destroy()
  }
}

/**
 * What can be done with a file that was checked: import it, or check it again with other columns.
 */
function addCheckedRoutes(app: FastifyInstance, context: AppContext): void {
  const goOn = (visit: OperatorVisit, outcome: Outcome<{ readonly job_id: string }>) => {
    if (outcome.kind === 'done') {
      const to = `${JOBS_PATH}/${outcome.output.job_id}?done=started`
      return visit.goTo(to)
    }
    throw new RequestRefusedError(
      409,
      outcome.kind === 'conflict' ? outcome.detail : 'Choose a column for each heading again.',
    )
  }

  app.post(`${JOBS_PATH}/:id/import`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    visit.form()
    return goOn(visit, await visit.perform(importChecked, { id: idIn(request) }))
  })

  app.post(`${JOBS_PATH}/:id/columns`, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const chosen = form.getAll('column')
    const columns = Object.fromEntries(
      form.getAll('heading').map((name, place) => [name, chosen[place] ?? '']),
    )
    const input = { id: idIn(request), columns }
    return goOn(visit, await visit.perform(recheckImport, input))
  })
}

/** Exports of what a list shows. */
function addExportRoutes(app: FastifyInstance, context: AppContext): void {
  const show = (visit: OperatorVisit, asked: URLSearchParams, problem?: string) => {
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
    return visit.page(page, problem === undefined ? 200 : 422)
  }

  app.get(EXPORT_PATH, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    return show(visit, queryOf(request))
  })

  app.post(EXPORT_PATH, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    const form = visit.form()
    const outcome = await visit.perform(exportList, {
      resource: form.get('resource') ?? '',
      format: form.get('format') === 'ndjson' ? 'ndjson' : 'csv',
      only: filtersIn(form),
    })
    if (outcome.kind === 'done') {
      return visit.goTo(`${JOBS_PATH}/${outcome.output.id}?done=started`)
    }
    const told = outcome.kind === 'conflict' ? outcome.detail : WRONG_FILTER
    return show(visit, form, told)
  })
}

const WRONG_FILTER = 'These filters cannot be exported. Go back to the list and choose others.'

/** Half a surrogate pair is no character, and PostgreSQL keeps none in the row of a job. */
const filters = z.record(
  z.string(),
  z.unknown().refine((value) => typeof value !== 'string' || !/\p{Cs}/u.test(value)),
)

/** The operation judges the values. A text that cannot be read must not export everything. */
function filtersIn(asked: URLSearchParams): Row {
  try {
    return filters.parse(JSON.parse(asked.get('only') ?? '{}'))
  } catch {
    throw new RequestRefusedError(400, WRONG_FILTER)
  }
}

async function sendFile(visit: OperatorVisit, files: FileStore): Promise<FastifyReply> {
  const { reply, request } = visit
  try {
    const file = await loadJobFile(request.schoolDb, visit.actor, idIn(request))
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

interface ExportPageProps extends AdminFrame {
  readonly path: string
  readonly back: Link
  readonly resource: string
  /** The filters of the list. */
  readonly only: Row
  readonly problem?: string | undefined
}

/** Asks for the format of an export of what a list shows. */
export function exportPage(props: ExportPageProps): string {
  const { resource, only, back, problem } = props
  const title = `Export ${kindInWords(resource).toLowerCase()}`
  return adminPage({
    ...props,
    title: problem === undefined ? title : `Error: ${title}`,
    children: (
      <>
        <PageHead title={title} up={back} />
        <section class="panel" aria-label={title}>
          {problem !== undefined && <Alert tone="error" title={problem} />}
          <Narrowing only={only} />
          <Form
            class="wide-form"
            action={props.path}
            formToken={props.viewer?.formToken ?? ''}
            hidden={{ resource, only: JSON.stringify(only) }}
          >
            <Select
              name="format"
              label="Format"
              value="csv"
              options={[
                ['csv', 'CSV, for spreadsheets'],
                ['ndjson', 'NDJSON, for programs'],
              ]}
            />
            <div class="actions">
              <Button look="primary">Export</Button>
              <ButtonLink look="plain" href={back.url}>
                Cancel
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}

function Narrowing({ only }: { only: Row }) {
  const filters = Object.entries(only)
  if (filters.length === 0) return <p>The file will have every row of the list.</p>
  return (
    <>
      <p>The file will have the rows that your filters show:</p>
      <ul>
        {filters.map(([name, value]) => (
          <li>
            {`${inWords(name)}: `}
            <bdi>{plainText(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
          </li>
        ))}
      </ul>
    </>
  )
}
