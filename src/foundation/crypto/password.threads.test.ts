import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HashingThreads } from './password.ts'

const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** The 19th field of a thread's stat; the name before it stands in brackets and may hold blanks. */
function nicenessOfThreads(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}

test('hashes and verifies, several at once', async () => {
  const threads = new HashingThreads()
  const hashes = await Promise.all(['a', 'b'].map((password) => threads.hash(password, CHEAP)))
  expect(await threads.verify(hashes[0] ?? '', 'a')).toBe(true)
  expect(await threads.verify(hashes[1] ?? '', 'a')).toBe(false)
})

test.runIf(process.platform === 'linux')(
  'a thread that hashes steps back behind the one that answers requests',
  async () => {
    const before = nicenessOfThreads()
    await new HashingThreads().hash('a', CHEAP)
    const own = readFileSync('/proc/self/stat', 'utf8')
    const niceness = Number(own.slice(own.lastIndexOf(')') + 2).split(' ')[16])
    const nicer = (all: number[]) => all.filter((one) => one === Math.min(19, niceness + 10)).length
    expect(nicer(nicenessOfThreads())).toBe(nicer(before) + 1)
  },
)
