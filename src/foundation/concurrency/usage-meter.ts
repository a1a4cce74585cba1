/** What a tenant has used since it was last read. */
export interface Usage {
  requests: number
  statements: number
  /** Of Node: turns of the event loop that worked for the tenant, and hashing of passwords. */
  cpuMs: number
  /** That its connections read and wrote. */
  bytes: number
}

let used = new Map<string, Usage>()

function usageOf(tenant: string): Usage {
  const known = used.get(tenant)
  if (known !== undefined) return known
  const usage = { requests: 0, statements: 0, cpuMs: 0, bytes: 0 }
  used.set(tenant, usage)
  return usage
}

/** For whom the event loop works now, and since when. */
let current: string | undefined
let since = 0
let isEnding = false

/**
 * From now on the event loop works for this tenant: until it works for another one, or its turn is
 * over. Call it where work begins or goes on, before any of it: a request that arrives, the answer
 * to a statement. To follow every promise instead (AsyncLocalStorage) would cost more than many
 * requests do.
 */
export function worksFor(tenant: string): void {
  const now = performance.now()
  if (current !== undefined) usageOf(current).cpuMs += now - since
  current = tenant
  since = now
  if (isEnding) return
  isEnding = true
  setImmediate(endTurn)
}

/**
 * `worksFor` for an answer that may have arrived in one piece with those of others. They would go
 * on in turns, and the last one would be charged for all: wait for the promise if there is one.
 */
export function turnOf(tenant: string): Promise<void> | undefined {
  if (current !== undefined && current !== tenant) {
    return new Promise((resolve) =>
      setImmediate(() => {
        worksFor(tenant)
        resolve()
      }),
    )
  }
  worksFor(tenant)
  return undefined
}

/** Node runs it once everything that has arrived was worked on, before it waits again. */
function endTurn(): void {
  isEnding = false
  if (current !== undefined) usageOf(current).cpuMs += performance.now() - since
  current = undefined
}

export function countStatement(tenant: string): void {
  usageOf(tenant).statements++
}

export function countRequest(tenant: string, bytes: number): void {
  const usage = usageOf(tenant)
  usage.requests++
  usage.bytes += bytes
}

/** Work of another thread. */
export function countThread(tenant: string, cpuMs: number): void {
  usageOf(tenant).cpuMs += cpuMs
}

/** Reads all counters, and begins again at zero. */
export function takeUsage(): ReadonlyMap<string, Usage> {
  const taken = used
  used = new Map()
  return taken
}

/** What was taken could not be kept: it is counted again. */
export function putBackUsage(taken: ReadonlyMap<string, Usage>): void {
  for (const [tenant, { requests, statements, cpuMs, bytes }] of taken) {
    const usage = usageOf(tenant)
    usage.requests += requests
    usage.statements += statements
    usage.cpuMs += cpuMs
    usage.bytes += bytes
  }
}
