import type { IncomingMessage } from 'node:http'
import { randomName } from '../crypto/random.ts'
import type { TrustProxy } from './trust-proxy.ts'

const PLAIN_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Gives each request an id. The id that a trusted proxy sends is kept, so that its log and ours can
 * be joined. From any other peer it is ignored: a client could put text into our log or use the id of
 * another request. Our ids are random: a counter would reveal how many requests there are.
 */
export function requestIds(trust: TrustProxy): (message: IncomingMessage) => string {
  return (message) => {
    const received = message.headers['x-request-id']
    return typeof received === 'string' &&
      PLAIN_ID.test(received) &&
      trust.trusts(message.socket.remoteAddress)
      ? received
      : randomName()
  }
}
