import { RequestRefusedError } from './client-fault.ts'

/** One field of a form that may contain files. */
export interface FormPart {
  readonly name: string
  /** Present if the part is a file; empty if the person chose no file. */
  readonly fileName: string | undefined
  readonly contentType: string
  /** Read it before you take the next part; bytes that you leave are skipped. */
  readonly bytes: AsyncIterable<Buffer>
}

const HEADER_BYTES = 8 * 1024

/**
 * The boundary of a multipart form. Refuses another content type and a boundary that is too long.
 */
export function boundaryIn(contentType: string | undefined): string {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))/i.exec(
      contentType ?? '',
    ) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw broken()
  return boundary
}

/**
 * Reads the parts of a form one after another while they arrive, so that a file of any size needs
 * only a few kilobytes of memory.
 *
 * @see RFC 7578 §4
 * @see RFC 2046 §5.1.1
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const source = new Source(body)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  await drain(source.until(delimiter))
  while (!(await source.atEnd())) {
    const part = partFrom(await source.head(), source.until(delimiter))
    yield part
    await drain(part.bytes)
  }
}

async function drain(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes) {
    // Skip the bytes.
  }
}

/** The text of a field that is not a file. */
export async function textOfPart(part: FormPart, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of part.bytes) {
    size += chunk.length
    if (size > maxBytes) throw new RequestRefusedError(413, 'A field of the form is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function partFrom(head: string, bytes: AsyncIterable<Buffer>): FormPart {
  const headers = head.split('\r\n')
  const disposition = headers.find((line) => /^content-disposition\s*:/i.test(line)) ?? ''
  const [, name] = /;\s*name="([^"]*)"/i.exec(disposition) ?? []
  const [, fileName] = /;\s*filename="([^"]*)"/i.exec(disposition) ?? []
  if (name === undefined) throw broken()
  const type = headers.find((line) => /^content-type\s*:/i.test(line)) ?? ''
  return {
    name: unescaped(name),
    fileName: fileName === undefined ? undefined : unescaped(fileName),
    contentType: type.slice(type.indexOf(':') + 1).trim(),
    // Reader and `drain` share one iterator, so `drain` skips only the bytes that are left.
    bytes,
  }
}

/** Browsers escape these three characters and no others. */
function unescaped(text: string): string {
  return text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

function broken(): RequestRefusedError {
  return new RequestRefusedError(400, 'The form is incomplete. Open the page and try again.')
}

/** Reads bytes that arrive in pieces up to a mark, which may be split between two pieces. */
class Source {
  readonly #pieces: AsyncIterator<Uint8Array>
  // The body starts with a delimiter that has no line break before it.
  #held: Buffer = Buffer.from('\r\n')

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#pieces = body[Symbol.asyncIterator]()
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#pieces.next()
    if (done === true) throw broken()
    this.#held = Buffer.concat([this.#held, value])
  }

  async *until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      const sure = at === -1 ? this.#held.length - mark.length + 1 : at
      if (sure > 0) {
        const piece = this.#held.subarray(0, sure)
        this.#held = this.#held.subarray(sure)
        yield piece
      }
      if (at !== -1) {
        this.#held = this.#held.subarray(mark.length)
        return
      }
      await this.#more()
    }
  }

  /** After a delimiter, two hyphens end the form; anything else begins a part. */
  async atEnd(): Promise<boolean> {
    while (this.#held.length < 2) await this.#more()
    return this.#held.subarray(0, 2).toString('latin1') === '--'
  }

  async head(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf('\r\n\r\n')
      if (end !== -1) {
        const head = this.#held.subarray(0, end).toString('utf8')
        this.#held = this.#held.subarray(end + 4)
        return head
      }
      if (this.#held.length > HEADER_BYTES) throw broken()
      await this.#more()
    }
  }
}
