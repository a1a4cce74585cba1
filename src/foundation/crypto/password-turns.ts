export interface TurnLimits {
  readonly running: number
  readonly waiting: number
}

/** More passwords wait than the machine can hash in good time; the caller answers 503. */
export class PasswordHashingBusy extends Error {
  override readonly name = 'PasswordHashingBusy'
}

export interface FairTurns {
  /** `share` says on whose behalf; shares take turns, however many wait in one of them. */
  take<R>(share: string, work: () => Promise<R>): Promise<R>
}

interface Waiter {
  readonly begin: () => void
  readonly refuse: (reason: PasswordHashingBusy) => void
}

/**
 * Lets a few works run at once and bounds how many wait. A storm in one share neither makes the
 * others wait for all of it nor takes their places: where none is free, whoever came last into the
 * longest line goes.
 */
export function createFairTurns(limits: TurnLimits): FairTurns {
  /** In the order in which they have their turns; whoever had one goes to the end. */
  const lines = new Map<string, Waiter[]>()
  let running = 0
  let waiting = 0

  function enter(share: string): Promise<void> | undefined {
    if (running < limits.running) {
      running++
      return undefined
    }
    if (waiting >= limits.waiting) makeRoomFor(share)
    waiting++
    return new Promise((begin, refuse) => {
      const line = lines.get(share)
      if (line === undefined) lines.set(share, [{ begin, refuse }])
      else line.push({ begin, refuse })
    })
  }

  function makeRoomFor(share: string): void {
    const busy = new PasswordHashingBusy('too many passwords wait to be hashed')
    const longest = [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= (lines.get(share)?.length ?? 0) + 1) throw busy
    longest.pop()?.refuse(busy)
    waiting--
  }

  /** Hands the place over, so that nobody slips in between. */
  function leave(): void {
    for (const [share, line] of lines) {
      const next = line.shift()
      lines.delete(share)
      if (line.length > 0) lines.set(share, line)
      if (next === undefined) continue
      waiting--
      next.begin()
      return
    }
    running--
  }

  return {
    async take(share, work) {
      await enter(share)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
