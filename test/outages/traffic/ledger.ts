/** A token pair that the server confirmed. Times are of `Date.now()`. */
export interface LedgerPair {
  readonly access: string
  readonly refresh: string
  readonly clientId: string
  /** One number for all pairs of an authorization. */
  readonly authorization: number
  readonly mintedAt: number
  /**
   * When a request that ends it was first sent: its revocation, or the first use of its successor.
   */
  endingAt?: number
  /** When that request was confirmed. */
  endedAt?: number
}

interface Confirmed {
  codes: number
  exchanges: number
  refreshes: number
  revocations: number
}

/** What clients were told, and where the server did not keep to it. */
export class Ledger {
  readonly pairs: LedgerPair[] = []
  /** Courses by slug, and when they were confirmed. */
  readonly courses = new Map<string, number>()
  readonly confirmed: Confirmed = { codes: 0, exchanges: 0, refreshes: 0, revocations: 0 }
  readonly lost: string[] = []
  readonly revokedAccepted: string[] = []
  readonly signedOut: string[] = []
  readonly #ended: LedgerPair[] = []
  #authorizations = 0

  newAuthorization(): number {
    this.#authorizations += 1
    return this.#authorizations
  }

  minted(pair: LedgerPair): LedgerPair {
    this.pairs.push(pair)
    return pair
  }

  ending(pair: LedgerPair, at: number): void {
    pair.endingAt ??= at
  }

  ended(pair: LedgerPair, at: number): void {
    if (pair.endedAt !== undefined) return
    pair.endedAt = at
    this.#ended.push(pair)
  }

  /** Pairs that were dead at this time, for certain. */
  dead(at = Number.POSITIVE_INFINITY): readonly LedgerPair[] {
    return this.#ended.filter(({ endedAt = 0 }) => endedAt <= at)
  }

  /** Pairs that lived from the first time to the second, for certain. The oldest come first. */
  alive(from: number, to: number): readonly LedgerPair[] {
    return this.pairs.filter(
      ({ mintedAt, endingAt = Number.POSITIVE_INFINITY }) => mintedAt <= from && endingAt > to,
    )
  }

  aDeadPair(choose: (length: number) => number): LedgerPair | undefined {
    return this.#ended[choose(this.#ended.length)]
  }

  coursesBefore(at: number): readonly string[] {
    return [...this.courses].flatMap(([slug, confirmedAt]) => (confirmedAt <= at ? slug : []))
  }

  /** Everything that the server confirmed. */
  get writes(): number {
    const { codes, exchanges, refreshes, revocations } = this.confirmed
    return codes + exchanges + refreshes + revocations + this.courses.size
  }
}
