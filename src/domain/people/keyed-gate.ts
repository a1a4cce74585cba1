export interface GateLimits {
  readonly inside: number
  readonly waiting: number
}

/** As many as may be wait already; nothing of the refused work was begun. */
export class GateFull extends Error {
  override readonly name = 'GateFull'
}

export interface KeyedGate {
  readonly pass: <R>(key: string, work: () => Promise<R>) => Promise<R>
  /** How many keys are remembered: none, once nobody is inside. */
  readonly size: () => number
}

interface Turns {
  inside: number
  readonly waiting: (() => void)[]
}

/** Lets a few works of one key run at once, in this process; the others wait in the order they came. */
export function createKeyedGate(limits: GateLimits): KeyedGate {
  const turns = new Map<string, Turns>()

  async function enter(key: string): Promise<Turns> {
    const of = turns.get(key) ?? { inside: 0, waiting: [] }
    turns.set(key, of)
    if (of.inside < limits.inside) {
      of.inside++
    } else {
      if (of.waiting.length >= limits.waiting) throw new GateFull('too many wait for one key')
      // Whoever leaves hands over their place, so that nobody slips in between.
      await new Promise<void>((resolve) => of.waiting.push(resolve))
    }
    return of
  }

  function leave(key: string, of: Turns): void {
    const next = of.waiting.shift()
    if (next === undefined) of.inside--
    else next()
    if (of.inside === 0) turns.delete(key)
  }

  return {
    async pass(key, work) {
      const of = await enter(key)
      try {
        return await work()
      } finally {
        leave(key, of)
      }
    },
    size: () => turns.size,
  }
}
