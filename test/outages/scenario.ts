import type { Need } from './machine/needs.ts'
import type { Place } from './machine/place.ts'
import type { Traffic } from './traffic/traffic.ts'

/** A fault under traffic, from an empty folder to the check of everything that was confirmed. */
export interface Scenario {
  readonly name: string
  /** What breaks, for the table. */
  readonly faults: string
  readonly needs: readonly Need[]
  run(place: Place, seed: number): Promise<Run>
}

export interface Run {
  readonly traffic: Traffic
  /** Seconds for which requests failed after the database was back; the longest of all faults. */
  readonly recovery?: number
  readonly notes?: readonly string[]
}

/** What this machine does not permit, so that a scenario cannot run. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible'
}
