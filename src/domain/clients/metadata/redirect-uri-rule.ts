import { isLoopback } from '../../../foundation/protocol/redirect-uri.ts'
import { redirectUriProblems } from '../../../foundation/protocol/registrable-redirect-uri.ts'

/**
 * Describes what is wrong with one redirect URI of a document. Only the host that published the document
 * or the person's own machine may receive its codes. A private-use scheme is refused: any program on
 * that machine can claim it.
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
