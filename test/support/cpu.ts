/**
 * The CPU time in milliseconds that this process spends on `work`: the least of several runs,
 * because a collection of garbage or another test file can only add to it.
 */
export async function cpuOf(work: () => unknown, runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
