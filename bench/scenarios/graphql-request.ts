import { type HttpRequest, JSON_BODY } from '../play.ts'
import type { LivePair } from '../world/tokens.ts'

export function graphqlRequest({ host, accessToken }: LivePair, query: string): HttpRequest {
  return {
    method: 'POST',
    path: '/member/graphql',
    headers: { ...JSON_BODY, host, authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ query }),
  }
}
