import { LimiterFull } from '../../foundation/concurrency/limiter.ts'

const RETRY_AFTER_SECONDS = 5

export interface Busy {
  readonly kind: 'busy'
  readonly retryAfterSeconds: number
}

/** For work that hashes a password: only some are hashed at once, and a line that is too long refuses further ones. */
export async function orBusy<T>(work: Promise<T>): Promise<T | Busy> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof LimiterFull)) throw error
    return { kind: 'busy', retryAfterSeconds: RETRY_AFTER_SECONDS }
  }
}
