import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { IMPORTED } from '../../../../domain/catalogue/transfer-operations.ts'
import {
  fileName,
  findFile,
  fitsFormat,
  plainType,
  recordUpload,
} from '../../../../domain/content/file-operations.ts'
import type { Outcome } from '../../../../domain/operation/operation.ts'
import { uuidv7 } from '../../../../foundation/crypto/random.ts'
import { Alert, Button, FormToken, Name } from '../../../../foundation/html/components.tsx'
import { FileField } from '../../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../../foundation/http/client-fault.ts'
import {
  boundaryIn,
  type FormPart,
  readMultipart,
  textOfPart,
} from '../../../../foundation/http/multipart.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import {
  type FileStore,
  FileTooLargeError,
  type StoredBytes,
} from '../../../../foundation/storage/file-store.ts'
import type { AppContext } from '../../../../gate/context.ts'
import { checkPostToken } from '../../frame/page-request.ts'
import { sizeInWords } from '../../frame/words.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'
import { afterWrite, type Link, type Upload } from './resource.ts'
import type { Row } from './row.ts'

/** The object that a file is uploaded for. */
export interface UploadTarget {
  readonly path: string
  readonly back: Link
  readonly fileId: string | null
  /** Sets the file, or removes it with null. */
  attach(fileId: string | null): Promise<Outcome<unknown>>
}

interface UploadRoute {
  readonly route: string
  readonly upload: Upload
  find(visit: OperatorVisit): Promise<UploadTarget>
}

/** The page that uploads a file. Nothing is stored before the form's token is checked. */
export function addUploadRoutes(
  app: FastifyInstance,
  context: AppContext,
  { route, upload, find }: UploadRoute,
): void {
  const { files } = context
  if (files === undefined) return
  const show = async (visit: OperatorVisit, problem?: string) => {
    const { request } = visit
    const target = await find(visit)
    const file =
      target.fileId === null ? undefined : await findFile(request.schoolDb, target.fileId)
    const page = uploadPage({
      ...visit.frame(),
      here: target.back.url,
      upload,
      path: target.path,
      back: target.back,
      problem,
      maxBytes: context.limits.uploadBytes,
      current: file && { ...file, url: `/files/${target.fileId}` },
    })
    return visit.page(page, problem === undefined ? 200 : 422)
  }

  app.get(route, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply)
    return await show(visit)
  })

  app.register(async (scope) => {
    scope.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
    scope.post(route, async (request, reply) => {
      const visit = await operatorVisit(context, request, reply)
      const target = await find(visit)
      const received = await receive(visit, files)
      if (received.kind === 'remove') return done(visit, target, await target.attach(null))
      if (received.kind === 'problem') return await show(visit, received.problem)
      const recorded = await visit.perform(recordUpload, received.input)
      if (recorded.kind !== 'done') return await show(visit, WRONG_NAME)
      const attached = await target.attach(recorded.output.id)
      if (attached.kind === 'invalid') {
        return await show(visit, attached.problems[0]?.detail)
      }
      return done(visit, target, attached)
    })
  })
}

/** The id of the file that an object has for an upload. */
export function fileIdIn(object: Row, { field }: Upload): string | null {
  const id = object[field]
  return typeof id === 'string' ? id : null
}

const WRONG_NAME = 'Give the file a shorter name without slashes, and choose it again.'

function done(visit: OperatorVisit, target: UploadTarget, outcome: Outcome<unknown>): FastifyReply {
  if (outcome.kind === 'done') {
    return visit.goTo(afterWrite(target.back.url, 'uploaded'))
  }
  throw new RequestRefusedError(
    409,
    'detail' in outcome ? outcome.detail : 'It was changed in the meantime.',
  )
}

type Received =
  | { readonly kind: 'file'; readonly input: z.input<typeof recordUpload.input> }
  | { readonly kind: 'remove' }
  | { readonly kind: 'problem'; readonly problem: string }

const FIELD_BYTES = 4096

async function receive(visit: OperatorVisit, files: FileStore): Promise<Received> {
  const { context, request } = visit
  const boundary = boundaryIn(request.headers['content-type'])
  const body = request.body as AsyncIterable<Uint8Array>
  let isOurs = false
  for await (const part of readMultipart(body, boundary)) {
    if (part.name === 'form_token' && !isOurs) {
      const token = await textOfPart(part, FIELD_BYTES)
      checkPostToken(context.keyring, request, visit.session, token)
      isOurs = true
    } else if (!isOurs) break
    else if (part.name === 'remove') return { kind: 'remove' }
    else if (part.name === 'file')
      return await store(request, files, part, context.limits.uploadBytes)
  }
  checkPostToken(context.keyring, request, visit.session, undefined)
  throw new Error('a form without a token passed the check')
}

/** The bytes are not what they should be; none is kept. */
class UnfitFile extends Error {}

async function store(
  request: FastifyRequest,
  files: FileStore,
  part: FormPart,
  maxBytes: number,
): Promise<Received> {
  const problem = (words: string): Received => ({ kind: 'problem', problem: words })
  if (part.fileName === undefined || part.fileName === '') return problem('Choose a file first.')
  // Old browsers send the whole path of the file.
  const name = fileName.safeParse(part.fileName.replace(/^.*[/\\]/, ''))
  if (!name.success) return problem(WRONG_NAME)
  const content_type = plainType(part.contentType)
  let stored: StoredBytes
  try {
    stored = await files.write(request.school.id, part.bytes, maxBytes, ({ sizeBytes, head }) => {
      if (sizeBytes === 0) throw new UnfitFile('The file is empty. Choose another.')
      if (!fitsFormat(content_type, head)) {
        throw new UnfitFile('The file is not the picture that its name says. Choose another.')
      }
    })
  } catch (error) {
    if (error instanceof UnfitFile) return problem(error.message)
    if (!(error instanceof FileTooLargeError)) throw error
    return problem('The file is larger than this server takes. Choose a smaller one.')
  }
  return {
    kind: 'file',
    input: {
      name: name.data,
      content_type,
      size_bytes: stored.sizeBytes,
      sha256: stored.sha256.toString('hex'),
      storage_key: stored.key,
    },
  }
}

export interface CurrentFile {
  readonly name: string
  readonly sizeBytes: number
  readonly url: string
}

interface UploadPageProps extends AdminFrame {
  readonly upload: Upload
  readonly path: string
  readonly back: Link
  readonly problem: string | undefined
  readonly maxBytes: number
  readonly current: CurrentFile | undefined
}

function uploadPage(props: UploadPageProps): string {
  const { upload, path, back, problem, current } = props
  const token = <FormToken value={props.viewer?.formToken ?? ''} />
  return adminPage({
    ...props,
    title: problem === undefined ? upload.title : `Error: ${upload.title}`,
    children: (
      <>
        <PageHead title={upload.title} up={back} />
        <section class="panel" aria-label={upload.title}>
          {problem !== undefined && <Alert tone="error" title={problem} />}
          {current !== undefined && <FileLine file={current} />}
          <form method="post" action={path} encType="multipart/form-data" class="wide-form">
            {token}
            <FileField
              name="file"
              label={current === undefined ? 'Choose a file' : 'Choose another file'}
              hint={`${upload.hint} At most ${sizeInWords(props.maxBytes)}.`}
              accept={upload.accept}
            />
            <div class="actions">
              <Button look="primary">Upload</Button>
              <ButtonLink look="plain" href={back.url}>
                Cancel
              </ButtonLink>
            </div>
          </form>
          {current !== undefined && (
            <form method="post" action={path} encType="multipart/form-data">
              {token}
              <Button look="danger" name="remove" value="yes">
                Remove this file
              </Button>
            </form>
          )}
        </section>
      </>
    ),
  })
}

export function FileLine({ file }: { file: CurrentFile }) {
  return (
    <p>
      <a href={file.url}>
        <Name text={file.name} fallback="File" />
      </a>
      <span class="row-note">{` ${sizeInWords(file.sizeBytes)}`}</span>
    </p>
  )
}

const ROWS_FIELD_BYTES = 4096

export const WRONG_KIND = 'Choose what the rows of the file are.'

const WORKBOOK = /\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i
const SAVE_AS_CSV =
  'This is a workbook. Save its sheet as CSV in your spreadsheet, and choose that file.'

/** What a person wants to import. */
export interface WantedRows {
  readonly resource: string
  /** The objects that the rows belong to, unless they name others. */
  readonly within: Readonly<Record<string, string>>
}

export function wantedIn(asked: URLSearchParams): WantedRows {
  return { resource: asked.get('resource') ?? '', within: withinIn(asked.get('within') ?? '{}') }
}

/** The operation judges the names. */
function withinIn(text: string): WantedRows['within'] {
  try {
    return z.record(z.string(), z.string().refine(isUuid)).parse(JSON.parse(text))
  } catch {
    throw new RequestRefusedError(400, 'Go back to the list and choose Import again.')
  }
}

export interface ReceivedRows extends WantedRows {
  readonly id: string
  readonly format: 'csv' | 'ndjson'
  readonly source: string
}

/** Nothing is stored before the form's token is checked. The fields come before the file. */
export async function receiveRows(
  visit: OperatorVisit,
  files: FileStore,
): Promise<ReceivedRows | (WantedRows & { readonly problem: string })> {
  const { context, request } = visit
  const boundary = boundaryIn(request.headers['content-type'])
  const body = request.body as AsyncIterable<Uint8Array>
  let isOurs = false
  let resource = ''
  let within: WantedRows['within'] = {}
  for await (const part of readMultipart(body, boundary)) {
    if (part.name === 'form_token' && !isOurs) {
      const token = await textOfPart(part, ROWS_FIELD_BYTES)
      checkPostToken(context.keyring, request, visit.session, token)
      isOurs = true
    } else if (!isOurs) break
    else if (part.name === 'resource') resource = await textOfPart(part, ROWS_FIELD_BYTES)
    else if (part.name === 'within') within = withinIn(await textOfPart(part, ROWS_FIELD_BYTES))
    else if (part.name === 'file') {
      const name = part.fileName ?? ''
      if (name === '') break
      if (!IMPORTED.includes(resource)) return { resource, within, problem: WRONG_KIND }
      if (WORKBOOK.test(name)) return { resource, within, problem: SAVE_AS_CSV }
      const id = uuidv7()
      const format = /\.(?:ndjson|jsonl|json)$/i.test(name) ? 'ndjson' : 'csv'
      try {
        const { key } = await files.write(id, part.bytes, context.limits.uploadBytes)
        return { id, resource, within, format, source: key }
      } catch (error) {
        if (!(error instanceof FileTooLargeError)) throw error
        const problem = 'The file is larger than this server takes. Split it.'
        return { resource, within, problem }
      }
    }
  }
  if (!isOurs) checkPostToken(context.keyring, request, visit.session, undefined)
  return { resource, within, problem: 'Choose a file first.' }
}
