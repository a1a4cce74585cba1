import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Answers bytes that are no HTTP request. No detail: whoever probes the parser learns nothing, and
 * nothing of what was sent is repeated.
 *
 * @see RFC 9110 §15.5.1
 */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // While an earlier request of this connection is being answered, bytes written here would end up
  // inside or before that answer, and a proxy would hand them to somebody else.
  if (socket.writable && !isAnswering(socket)) {
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400
    const reason = STATUS_CODES[status] ?? 'Bad Request'
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\n` +
        'Connection: close\r\n' +
        'Content-Type: text/plain; charset=utf-8\r\n' +
        `Content-Length: ${reason.length + 1}\r\n\r\n${reason}\n`,
    )
  }
  socket.destroy()
}

/** Node marks the socket of a pending answer; its own default handler looks at the same mark. */
function isAnswering(socket: Socket): boolean {
  return Boolean(Reflect.get(socket, '_httpMessage'))
}
