import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the caller was read, in the time of `performance.now()`. */
    callerReadAt: number | undefined
  }
}

const SLOW_MS = 1_000

export function noteCallerRead(request: FastifyRequest): void {
  request.callerReadAt = performance.now()
}

/**
 * Whether the body came so slowly that the caller has to be read again: a thief could send the head of a request, and the rest
 * after the token is revoked. Writes are confirmed in their transaction besides.
 */
export function isCallerOld({ callerReadAt }: FastifyRequest): boolean {
  return callerReadAt !== undefined && performance.now() - callerReadAt > SLOW_MS
}
