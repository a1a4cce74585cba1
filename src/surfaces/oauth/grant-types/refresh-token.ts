import type { FastifyRequest } from 'fastify'
import { refreshPair } from '../../../domain/grants/refresh-pair.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import type { AppContext } from '../../../gate/context.ts'
import {
  type Granted,
  type GrantType,
  grantedOrThrow,
  readTokenRequest,
  tokenResponse,
} from './grant-type.ts'

/**
 * Refresh. Its rules, sections and refusals are in `domain/grants/refresh-rules.ts`. The answer has no
 * ID token, whatever the scope.
 *
 * @see RFC 6749 §6
 */
export const refreshTokenGrant: GrantType = { name: 'refresh_token', handle }

async function handle(
  _context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<Granted> {
  const asked = readTokenRequest(request, form)
  const outcome = await refreshPair(request.at, {
    refreshToken: form.get('refresh_token'),
    scope: form.get('scope'),
    ...asked,
  })
  const pair = grantedOrThrow(request, asked, outcome)
  return { tokens: pair.tokens, response: tokenResponse(request.school, pair) }
}
