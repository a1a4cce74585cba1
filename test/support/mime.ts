export interface MimeMail {
  /** As received, with folded lines joined. */
  readonly headers: string
  readonly text: string
  readonly html: string
}

/** Reads a mail of two parts, text and HTML, strictly: anything else is an error. */
export function readMime(raw: string): MimeMail {
  const { headers, body } = split(raw)
  const boundary = /^content-type: multipart\/alternative;\s*boundary="([^"]+)"/im.exec(
    headers,
  )?.[1]
  if (boundary === undefined) throw new Error(`no multipart/alternative: ${headers}`)
  const parts = body.split(`--${boundary}`).slice(1, -1).map(readPart)
  const [text, html, ...others] = parts
  if (text?.type !== 'text/plain' || html?.type !== 'text/html' || others.length > 0) {
    throw new Error(`parts are ${parts.map(({ type }) => type)}`)
  }
  return { headers, text: text.content, html: html.content }
}

function readPart(part: string): { type: string; content: string } {
  const { headers, body } = split(part.replace(/^\r\n/, ''))
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim()
  const type = header('content-type') ?? ''
  if (!/; charset=utf-8$/.test(type)) throw new Error(`content type ${type}`)
  return {
    type: type.replace(/;.*/, ''),
    content: decode(body, header('content-transfer-encoding')).replaceAll('\r\n', '\n'),
  }
}

function split(message: string): { headers: string; body: string } {
  const end = message.indexOf('\r\n\r\n')
  if (end === -1) throw new Error('a mail without a body')
  return {
    headers: message.slice(0, end).replace(/\r\n[ \t]+/g, ' '),
    body: message.slice(end + 4),
  }
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding === '7bit') return body
  if (encoding !== 'quoted-printable') throw new Error(`encoding ${encoding}`)
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
