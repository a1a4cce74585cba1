/** What the caller did wrong, fit to be told: a status and one sentence. */
export type ClientFault = { readonly status: number; readonly description: string }

/** Thrown to refuse a request for the caller's own fault; the surface answers it in its dialect. */
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

const FAULTS: Readonly<Record<string, ClientFault>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    description:
      'The request body is larger than this endpoint accepts. Send less at once; whoever runs the server sets the limits FORM_BODY_BYTES and JSON_BODY_BYTES.',
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
  // The caller hung up while sending; nobody will read this.
  ECONNRESET: { status: 400, description: 'The request body did not arrive whole.' },
}

/**
 * Translates the errors by which Fastify and this folder refuse a request, so that each surface can answer them
 * in its own dialect. Anything else is our own fault and gives undefined: a `statusCode` found on
 * some other error is not believed, or a broken dependency would be blamed on the caller.
 */
export function findClientFault(error: unknown): ClientFault | undefined {
  if (error instanceof RequestRefusedError) return error
  if (!(error instanceof Error)) return undefined
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code !== 'string' || !Object.hasOwn(FAULTS, code)) return undefined
  // A reset connection to the database carries the same code, but not Fastify's mark on it.
  if (code === 'ECONNRESET' && Reflect.get(error, 'statusCode') !== 400) return undefined
  return FAULTS[code]
}
