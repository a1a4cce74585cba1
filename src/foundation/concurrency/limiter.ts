export interface Limits {
  /** How many tasks run at once. */
  readonly running: number
  /** How many further tasks of one tenant wait for a place; with 0 they are refused at once. */
  readonly waiting: number
  /** A task that has waited for this long is refused. Without it, it waits until its turn. */
  readonly waitMs?: number | undefined
  /** One tenant may take all places; tenants that wait still take turns. */
  readonly undivided?: boolean | undefined
}

/** There is no place for a task of this tenant; nothing of the refused task was begun. */
export class LimiterFull extends Error {
  override readonly name = 'LimiterFull'
}

interface Waiter {
  readonly begin: () => void
  readonly refuse: (reason: Error) => void
}

/** The tasks of one tenant. */
class Tenant {
  readonly name: string
  running = 0
  /**
   * In the order in which they came. A Set, so that a task that gives up leaves from the middle.
   */
  readonly line = new Set<Waiter>()

  constructor(name: string) {
    this.name = name
  }
}

/** A tenant may run twice as many tasks as there are free places: alone, two thirds of all. */
const TASKS_PER_FREE_PLACE = 2
/**
 * Tenants without a task are remembered up to this number, because it costs time to make them
 * again.
 */
const IDLE_TENANTS = 1_000

/**
 * Lets a few tasks run at once in this process, and divides the places fairly between tenants, for
 * example schools.
 *
 * - A tenant runs at most twice as many tasks as there are free places. So one tenant, however slow
 *   its tasks are, takes two thirds of three places or more, and the others find the rest free.
 *   With each further tenant that is busy, all get less. (Known from network switches as dynamic
 *   thresholds: Choudhury and Hahne, 1998.) Up to two places are lent as a whole.
 * - Tenants that wait take turns.
 * - Each tenant has a line of its own, and a full line refuses only tasks of this tenant.
 *
 * Each step takes the same time however many tasks wait. While places are free, nothing is
 * allocated.
 */
export class Limiter {
  readonly #limits: Limits
  readonly #tasksPerFreePlace: number
  readonly #tenants = new Map<string, Tenant>()
  /**
   * Tenants with waiting tasks. The one that comes next is first; after its turn it goes to the
   * end.
   */
  readonly #turns = new Set<Tenant>()
  #running = 0

  constructor(limits: Limits) {
    this.#limits = limits
    this.#tasksPerFreePlace = limits.undivided === true ? limits.running : TASKS_PER_FREE_PLACE
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    let waiting = 0
    for (const tenant of this.#turns) waiting += tenant.line.size
    return waiting
  }

  /** How many tasks of the tenant run. */
  runningOf(tenant: string): number {
    return this.#tenants.get(tenant)?.running ?? 0
  }

  /** How many tasks of the tenant wait. */
  waitingOf(tenant: string): number {
    return this.#tenants.get(tenant)?.line.size ?? 0
  }

  /** Whether a task of the tenant would be refused. */
  isFull(tenant = ''): boolean {
    const known = this.#tenants.get(tenant)
    const waiting = known?.line.size ?? 0
    return waiting >= this.#limits.waiting && !this.#mayBegin(known?.running ?? 0)
  }

  /**
   * Begins the task at once if there is a place for its tenant. Rejects with LimiterFull if it
   * cannot wait.
   */
  async run<R>(task: () => Promise<R>, tenant = '', signal?: AbortSignal): Promise<R> {
    const turn = this.enter(tenant, signal)
    if (turn !== undefined) await turn
    try {
      return await task()
    } finally {
      this.leave(tenant)
    }
  }

  /**
   * Takes a place, which `leave` gives back. Undefined if it was taken at once; otherwise wait for
   * the promise, which rejects with LimiterFull, or with AbandonedError once the signal is aborted.
   * A task that began before and gave its place back for a while is `known`: it waits until its
   * turn, however many wait.
   */
  enter(name: string, signal?: AbortSignal, known = false): Promise<void> | undefined {
    const tenant = this.#tenantOf(name)
    // All that wait had no place when one was last given back, so a new task overtakes none.
    if (this.#mayBegin(tenant.running)) {
      this.#running++
      tenant.running++
      return undefined
    }
    return this.#wait(tenant, signal, known)
  }

  leave(name: string): void {
    const tenant = this.#tenantOf(name)
    tenant.running--
    this.#running--
    if (this.#turns.size > 0) this.#giveTurns()
    this.#forgetIfIdle(tenant)
  }

  #mayBegin(runningOfTenant: number): boolean {
    return runningOfTenant < this.#tasksPerFreePlace * (this.#limits.running - this.#running)
  }

  #wait(tenant: Tenant, signal: AbortSignal | undefined, known: boolean): Promise<void> {
    if (!known && tenant.line.size >= this.#limits.waiting) {
      this.#forgetIfIdle(tenant)
      return Promise.reject(new LimiterFull('too many tasks wait'))
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abandonedBy(signal))
      const waitMs = known ? undefined : this.#limits.waitMs
      const timer = waitMs === undefined ? undefined : setTimeout(() => tooLong(), waitMs)
      const abandon = (): void => waiter.refuse(abandonedBy(signal))
      const settled = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      const waiter: Waiter = {
        begin: () => {
          settled()
          resolve()
        },
        refuse: (reason) => {
          settled()
          this.#leaveLine(tenant, waiter)
          this.#forgetIfIdle(tenant)
          reject(reason)
        },
      }
      const tooLong = (): void => waiter.refuse(new LimiterFull('a task has waited too long'))
      signal?.addEventListener('abort', abandon, { once: true })
      tenant.line.add(waiter)
      this.#turns.add(tenant)
    })
  }

  /**
   * Hands places to waiting tasks directly, so that a new one cannot take them in between. A tenant
   * that may not begin yet runs two tasks or more, so only a few are passed over.
   */
  #giveTurns(): void {
    for (const tenant of this.#turns) {
      if (this.#running >= this.#limits.running) return
      if (!this.#mayBegin(tenant.running)) continue
      const [next] = tenant.line
      if (next === undefined) continue
      this.#leaveLine(tenant, next)
      // At the end of the turns; this loop comes by again.
      if (this.#turns.delete(tenant)) this.#turns.add(tenant)
      this.#running++
      tenant.running++
      next.begin()
    }
  }

  #leaveLine(tenant: Tenant, waiter: Waiter): void {
    tenant.line.delete(waiter)
    if (tenant.line.size === 0) this.#turns.delete(tenant)
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name)
    if (known !== undefined) return known
    const tenant = new Tenant(name)
    this.#tenants.set(name, tenant)
    return tenant
  }

  #forgetIfIdle(tenant: Tenant): void {
    if (this.#tenants.size <= IDLE_TENANTS) return
    if (tenant.running === 0 && tenant.line.size === 0) this.#tenants.delete(tenant.name)
  }
}

/** The work was given up because the caller who asked for it is gone. */
export class AbandonedError extends Error {
  override readonly name = 'AbandonedError'
}

export function abandonedBy(signal: AbortSignal | undefined): AbandonedError {
  return new AbandonedError('The caller is gone.', { cause: signal?.reason })
}

/** A limiter for each key, for example each address. Keys without a running task are forgotten. */
export class KeyedLimiter {
  readonly #limits: Limits
  readonly #limiters = new Map<string, Limiter>()

  constructor(limits: Limits) {
    // There is only one tenant behind each key.
    this.#limits = { ...limits, undivided: true }
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#limiters.size
  }

  isFull(key: string): boolean {
    return this.#limiters.get(key)?.isFull() ?? false
  }

  async run<R>(key: string, task: () => Promise<R>): Promise<R> {
    const limiter = this.#limiters.get(key) ?? new Limiter(this.#limits)
    this.#limiters.set(key, limiter)
    try {
      return await limiter.run(task)
    } finally {
      // Another call may have forgotten this limiter already, and a third one begun with a new one.
      const isKnown = this.#limiters.get(key) === limiter
      if (isKnown && limiter.running === 0) this.#limiters.delete(key)
    }
  }
}
