import type { FastifyRequest } from 'fastify'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import type { AppContext } from '../../gate/context.ts'
import type { TokenResponse } from './grant-types/grant-type.ts'
import { grantTypes } from './grant-types/grant-types.ts'
import { requireParameter } from './require-parameter.ts'

/** @see RFC 6749 §3.2 */
export async function answerTokenRequest(
  context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<TokenResponse> {
  const name = requireParameter(form, 'grant_type')
  const grant = grantTypes.get(name)
  if (grant === undefined) {
    throw new OAuthError(
      'unsupported_grant_type',
      `grant_type must be ${[...grantTypes.keys()].join(' or ')}.`,
    )
  }
  return await grant.handle(context, request, form)
}
