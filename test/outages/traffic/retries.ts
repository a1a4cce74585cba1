import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, failureOf, type Reply, type Sent } from './caller.ts'

/** Shorter than Retry-After says, so that more requests meet the fault. */
const PAUSE_MS = 150

/** A request that must be answered at some time was not, although it was repeated. */
export class NeverAnswered extends Error {
  override readonly name = 'NeverAnswered'
}

/** When clients stop to try; set when a scenario ends. */
export class Patience {
  #endsAt = Number.POSITIVE_INFINITY

  endIn(seconds: number): void {
    this.#endsAt = Date.now() + seconds * 1000
  }

  get isOver(): boolean {
    return Date.now() > this.#endsAt
  }
}

export interface Persistent {
  readonly reply: Reply
  /** An earlier try had no verdict: the server may have done what was asked. */
  readonly isRepeated: boolean
}

/**
 * Sends a request again until the server gives a verdict, as a client does on 503 or a lost
 * connection.
 */
export async function persist(caller: Caller, patience: Patience, sent: Sent): Promise<Persistent> {
  for (let tries = 0; ; tries++) {
    const reply = await caller.send(sent)
    if (reply !== undefined && failureOf(reply) === undefined && !isInProgress(reply)) {
      return { reply, isRepeated: tries > 0 }
    }
    if (patience.isOver) throw new NeverAnswered(`${sent.path.split('?')[0]}: ${failureOf(reply)}`)
    await sleep(PAUSE_MS)
  }
}

/** The first try of a write with an Idempotency-Key still runs. */
function isInProgress({ status, headers }: Reply): boolean {
  return status === 409 && headers['retry-after'] !== undefined
}
