import { OAuthError } from './errors.ts'

/** The names a client may write; a URL parser alone would also take what it first has to repair. */
const RESOURCE = /^([Hh][Tt][Tt][Pp][Ss]?:\/\/[A-Za-z0-9.\-[\]:]+)(?:\/|\/mcp\/?)?$/

/**
 * Reads the `resource` values of a request and gives the one resource a token is bound to, which is
 * always the origin itself. The origin with a slash and its tool endpoint are names of the same.
 *
 * @see RFC 8707 §2
 */
export function bindResource(
  values: readonly string[],
  origin: string,
  { required }: { readonly required: boolean },
): string {
  if (values.length === 0 && required) {
    throw missingResource(origin)
  }
  // Several values are legal, and a token for all of them can be given only if all are this origin.
  for (const value of values) {
    if (!namesOrigin(value, origin)) {
      throw new OAuthError(
        'invalid_target',
        `resource does not name this server: send resource=${origin}.`,
      )
    }
  }
  return origin
}

export function missingResource(origin: string): OAuthError {
  return new OAuthError('invalid_request', `resource is missing: send resource=${origin}.`)
}

function namesOrigin(value: string, origin: string): boolean {
  if (value === origin) return true
  const [, written] = RESOURCE.exec(value) ?? []
  // RFC 3986 §6.2.2 and §6.2.3: the case of scheme and host and a default port carry no meaning.
  return written !== undefined && URL.canParse(written) && new URL(written).origin === origin
}
