import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import { checkChallenge } from '../../foundation/protocol/pkce.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { requireParameter } from './require-parameter.ts'

export function checkParameters(parameters: Parameters): void {
  if (parameters.fault !== undefined) throw parameters.fault
}

/** Refused, not ignored: a client that signs its request must not believe that its signature was checked. */
export function checkNoRequestObject(parameters: Parameters): void {
  if (parameters.has('request')) {
    throw new OAuthError('request_not_supported', 'The request parameter is not supported.')
  }
  if (parameters.has('request_uri')) {
    throw new OAuthError('request_uri_not_supported', 'The request_uri parameter is not supported.')
  }
  if (parameters.has('registration')) {
    throw new OAuthError(
      'registration_not_supported',
      'The registration parameter is not supported.',
    )
  }
}

export function checkResponseType(parameters: Parameters): void {
  if (requireParameter(parameters, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  }
}

export function checkResponseMode(parameters: Parameters): void {
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query, or be left out.')
  }
}

export function readScopes(parameters: Parameters): ScopeSet {
  const text = parameters.get('scope')
  if (text === undefined) {
    throw new OAuthError('invalid_request', 'scope is missing: name at least one scope.')
  }
  return ScopeSet.parse(text)
}

export function readChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge')
  checkChallenge(challenge, parameters.get('code_challenge_method'))
  return challenge
}
