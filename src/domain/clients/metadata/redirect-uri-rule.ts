import { isLoopback } from '../../../foundation/protocol/redirect-uri.ts'
import { redirectUriProblems } from '../../../foundation/protocol/registrable-redirect-uri.ts'

/**
 * Says in words what is wrong with one redirect URI of a document: only the host that published
 * the document may receive its codes, or the person's own machine. A private-use scheme is neither:
 * any program on that machine may claim it, and no host vouches for it.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §8.1
 * @see RFC 8252 §8.4
 */
export function findRedirectUriProblem(uri: string, documentHost: string): string | undefined {
  const [problem] = redirectUriProblems(uri, { confidential: false })
  if (problem !== undefined || isLoopback(uri)) return problem
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'https:' && hostname === documentHost) return undefined
  return `Use an https address on ${documentHost}, or one on the person's own computer such as http://127.0.0.1/callback (any port). Other hosts and private-use schemes are refused.`
}
