import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { IMPORTED } from '../../../../../domain/catalogue/transfer-operations.ts'
import { uuidv7 } from '../../../../../foundation/crypto/random.ts'
import { RequestRefusedError } from '../../../../../foundation/http/client-fault.ts'
import { boundaryIn, readMultipart, textOfPart } from '../../../../../foundation/http/multipart.ts'
import { isUuid } from '../../../../../foundation/protocol/token-format.ts'
import { type FileStore, FileTooLargeError } from '../../../../../foundation/storage/file-store.ts'
import type { AppContext } from '../../../../../gate/context.ts'
import { checkPostToken } from '../../../page-request.ts'
import type { Visit } from './visit.ts'

const FIELD_BYTES = 4096

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
export async function receive(
  context: AppContext,
  request: FastifyRequest,
  visit: Visit,
  files: FileStore,
): Promise<ReceivedRows | (WantedRows & { readonly problem: string })> {
  const boundary = boundaryIn(request.headers['content-type'])
  const body = request.body as AsyncIterable<Uint8Array>
  let isOurs = false
  let resource = ''
  let within: WantedRows['within'] = {}
  for await (const part of readMultipart(body, boundary)) {
    if (part.name === 'form_token' && !isOurs) {
      const token = await textOfPart(part, FIELD_BYTES)
      checkPostToken(context.keyring, request, visit.operator, token)
      isOurs = true
    } else if (!isOurs) break
    else if (part.name === 'resource') resource = await textOfPart(part, FIELD_BYTES)
    else if (part.name === 'within') within = withinIn(await textOfPart(part, FIELD_BYTES))
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
  if (!isOurs) checkPostToken(context.keyring, request, visit.operator, undefined)
  return { resource, within, problem: 'Choose a file first.' }
}
