import {
  boundaryIn,
  type FormPart,
  readMultipart,
  textOfPart,
} from '../../../foundation/http/multipart.ts'
import { checkPostToken } from './page-request.ts'
import type { SignedInVisit } from './visit.ts'

const FIELD_BYTES = 4096

/**
 * The chosen file, or what was sent instead. Nothing is read of a form that we did not serve to
 * this browser.
 */
export async function readPictureForm(
  { context, request, session }: SignedInVisit,
  maxBytes: number,
): Promise<Buffer | 'remove' | 'none' | 'too_large'> {
  const boundary = boundaryIn(request.headers['content-type'])
  const body = request.body as AsyncIterable<Uint8Array>
  let isOurs = false
  for await (const part of readMultipart(body, boundary)) {
    if (!isOurs) {
      if (part.name !== 'form_token') break
      checkPostToken(context.keyring, request, session, await textOfPart(part, FIELD_BYTES))
      isOurs = true
    } else if (part.name === 'remove') return 'remove'
    else if (part.name === 'picture') return await bytesOf(part, maxBytes)
  }
  if (!isOurs) checkPostToken(context.keyring, request, session, undefined)
  return 'none'
}

async function bytesOf(part: FormPart, maxBytes: number): Promise<Buffer | 'none' | 'too_large'> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of part.bytes) {
    size += piece.length
    if (size > maxBytes) return 'too_large'
    pieces.push(piece)
  }
  return size === 0 ? 'none' : Buffer.concat(pieces)
}
