import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'

/** @see RFC 6749 §5.2 (a missing required parameter is invalid_request) */
export function requireParameter(form: Parameters, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
