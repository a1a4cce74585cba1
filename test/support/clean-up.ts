import { AsyncLocalStorage } from 'node:async_hooks'

const cleanUps: (() => unknown)[] = []
const isKept = new AsyncLocalStorage<boolean>()

/**
 * Runs `work` when the test file is done, the latest first. It also works inside a test or a hook,
 * where Vitest silently ignores `afterAll`.
 */
export function whenFileIsDone(work: () => unknown): void {
  if (isKept.getStore() !== true) cleanUps.push(work)
}

/**
 * What `make` opens stays for the next test files; it ends with the worker and the run's database
 * server.
 */
export async function keptForWorker<T>(make: () => Promise<T>): Promise<T> {
  return await isKept.run(true, make)
}

/** Runs all, even if some fail, and then throws. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = []
  for (let work = cleanUps.pop(); work !== undefined; work = cleanUps.pop()) {
    try {
      await work()
    } catch (failure) {
      failures.push(failure)
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'))
  if (failures.length === 1) throw failures[0]
}
