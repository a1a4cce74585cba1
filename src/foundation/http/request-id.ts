import type { IncomingMessage } from 'node:http'
import { randomName } from '../crypto/random.ts'
import type { TrustProxy } from './trust-proxy.ts'

const PLAIN_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Gives each request an id. One that a trusted proxy brings is kept, so that its log and ours can
 * be joined; from anybody else it would let strangers write into the log and fake another's trail.
 * Ours are random and not counted: a number would tell everybody how many requests there are.
 */
export function requestIds(trust: TrustProxy): (message: IncomingMessage) => string {
  return (message) => {
    const brought = message.headers['x-request-id']
    return typeof brought === 'string' &&
      PLAIN_ID.test(brought) &&
      trust.trusts(message.socket.remoteAddress)
      ? brought
      : randomName()
  }
}
