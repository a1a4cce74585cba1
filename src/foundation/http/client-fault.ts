import { AbandonedError } from '../concurrency/limiter.ts'

/** What the caller did wrong: a status and one sentence that the answer may show. */
export type ClientFault = { readonly status: number; readonly description: string }

/**
 * Thrown to refuse a request because of the caller's mistake; each surface answers in its format.
 */
export class RequestRefusedError extends Error implements ClientFault {
  readonly status: number
  readonly description: string

  constructor(status: number, description: string) {
    super(description)
    this.name = 'RequestRefusedError'
    this.status = status
    this.description = description
  }
}

export class BodyTooLargeError extends RequestRefusedError {
  constructor(maxBytes: number) {
    super(413, `The request body is larger than the ${maxBytes} bytes that this request may have.`)
    this.name = 'BodyTooLargeError'
  }
}

const FAULTS: Readonly<Record<string, ClientFault>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    description:
      'The request body is larger than this endpoint accepts. Send less at once; the administrator of this server sets the limits FORM_BODY_BYTES and JSON_BODY_BYTES.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    description:
      'This endpoint does not accept a body of this Content-Type. Send application/x-www-form-urlencoded to pages and OAuth endpoints, application/json to APIs and client registration.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    status: 400,
    description: 'The Content-Type says JSON, but the request body is empty.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, description: 'The request body is not JSON.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    description: 'The request body is not as long as its Content-Length says.',
  },
  FST_ERR_BAD_URL: {
    status: 400,
    description: 'The path of the URL is not properly percent-encoded.',
  },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, description: 'A part of the path is too long.' },
  // The client disconnected while sending, so this text appears only in the log.
  ECONNRESET: { status: 400, description: 'The request body is incomplete.' },
}

/** The caller does not see it; the log does. */
const GONE: ClientFault = { status: 400, description: 'The caller did not wait for the answer.' }

/**
 * Translates the errors by which Fastify and this folder refuse a request, so that each surface can
 * answer them in its own format. Any other error is our fault and gives undefined: its `statusCode`
 * is ignored, since a 4xx of a broken dependency must not be blamed on the caller.
 */
export function findClientFault(error: unknown): ClientFault | undefined {
  if (error instanceof RequestRefusedError) return error
  if (error instanceof AbandonedError) return GONE
  if (!(error instanceof Error)) return undefined
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code !== 'string' || !Object.hasOwn(FAULTS, code)) return undefined
  // A reset database connection has the same code, but no `statusCode`, which Fastify adds.
  if (code === 'ECONNRESET' && Reflect.get(error, 'statusCode') !== 400) return undefined
  return FAULTS[code]
}
