import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { FetchTarget } from './fetch-target.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/**
 * Starts a GET that can only ever reach the given addresses. A fresh connection each time: a pooled
 * one might lead to where the name pointed earlier.
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
      // Compressed bytes say little about what they unfold to; see the refusal of encoded bodies.
      'accept-encoding': 'identity',
      'user-agent': 'schoolgate',
    },
  } as const
  if (url.protocol === 'http:') return httpRequest(shared)
  return httpsRequest({
    ...shared,
    // Stated, because an environment variable can switch the default off for the whole process.
    rejectUnauthorized: true,
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ...(ca !== undefined && { ca }),
  })
}

/** Sends the request; settles with the response's head, or rejects if there will be none. */
export function responseHead(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // A connection may end with neither, when the server answers with a switch of protocols.
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
