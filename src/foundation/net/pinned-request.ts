import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { FetchTarget } from './fetch-target.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/**
 * Starts a GET that can reach only the given addresses. Always on a new connection: a pooled one might lead to
 * an address that the name had earlier.
 */
export function startPinnedRequest(
  { url, hostname, port }: FetchTarget,
  addresses: readonly ResolvedAddress[],
  { ca, signal }: { ca: string | undefined; signal: AbortSignal },
): ClientRequest {
  const shared = {
    host: hostname,
    port,
    path: url.pathname + url.search,
    agent: false,
    lookup: answerWith(addresses),
    signal,
    headers: {
      accept: 'application/json',
      // Ask for no compression: the size of the expanded body would be unknown.
      'accept-encoding': 'identity',
      'user-agent': 'schoolgate',
    },
  } as const
  if (url.protocol === 'http:') return httpRequest(shared)
  return httpsRequest({
    ...shared,
    // Set here because an environment variable can turn off the default for the whole process.
    rejectUnauthorized: true,
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ...(ca !== undefined && { ca }),
  })
}

/** Sends the request. Resolves with the head of the response, or rejects if there is none. */
export function responseHead(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // A server that answers with a protocol switch ends the connection without a response or an error.
    request.on('close', () => reject(new Error('the connection closed before an answer')))
    request.end()
  })
}

function answerWith(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) return callback(null, [...addresses])
    const [first] = addresses
    return callback(null, first?.address ?? '', first?.family)
  }
}
