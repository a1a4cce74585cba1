const cleanUps: (() => unknown)[] = []

/**
 * Has `work` run when the test file is done, the latest first. It also works inside a test or a hook,
 * where Vitest ignores `afterAll` without a word.
 */
export function whenFileIsDone(work: () => unknown): void {
  cleanUps.push(work)
}

/** One that fails keeps no other from running. */
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
