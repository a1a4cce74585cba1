import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inject, vi } from 'vitest'

/** Only a process that hangs takes this long. */
const PATIENCE = { timeout: 60_000, interval: 20 }

/**
 * A folder that the first test file of this run fills, in whichever worker it is, and the others
 * only read.
 */
export async function madeOnce(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const place = join(inject('shared'), name)
  const turn = `${place}.turn`
  const isFirst = await mkdir(turn).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    try {
      const unfinished = `${place}.unfinished`
      await mkdir(unfinished)
      await fill(unfinished)
      // The others find it whole or not at all.
      await rename(unfinished, place)
    } catch (error) {
      await rm(`${place}.unfinished`, { recursive: true, force: true })
      await rm(turn, { recursive: true })
      throw error
    }
  }
  await vi.waitUntil(() => isThere(place), PATIENCE)
  return place
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
