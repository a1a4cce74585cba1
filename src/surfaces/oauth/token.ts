import type { FastifyRequest } from 'fastify'
import { rawQuery } from '../../foundation/http/request-body.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import { withResourceOfUrl } from '../../foundation/protocol/token-url.ts'
import type { AppContext } from '../../gate/context.ts'
import type { Granted } from './grant-types/grant-type.ts'
import { grantTypes } from './grant-types/grant-types.ts'
import { requireParameter } from './require-parameter.ts'

/** @see RFC 6749 §3.2 */
export async function answerTokenRequest(
  context: AppContext,
  request: FastifyRequest,
  body: Parameters,
): Promise<Granted> {
  const form = withResourceOfUrl(body, rawQuery(request.raw.url ?? ''))
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
