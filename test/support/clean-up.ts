const cleanUps: (() => unknown)[] = []

/**
 * Runs `work` when the test file is done, the latest first. It also works inside a test or a hook,
 * where Vitest silently ignores `afterAll`.
 */
export function whenFileIsDone(work: () => unknown): void {
  cleanUps.push(work)
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
