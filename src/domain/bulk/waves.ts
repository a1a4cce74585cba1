import { isDeepStrictEqual } from 'node:util'
import type { ImportRow, RowOutcome } from './kind.ts'

/**
 * Rows about the same object must find what the earlier ones made of it, so they are written in
 * waves in which each object comes once. A row that repeats the one before it has nothing to add.
 * Undefined where no object comes twice.
 *
 * @param identities the same text for rows about the same object; undefined for rows that cannot be placed
 */
export async function writeInWaves(
  rows: readonly ImportRow[],
  identities: readonly (string | undefined)[],
  write: (wave: readonly ImportRow[]) => Promise<readonly RowOutcome[]>,
): Promise<RowOutcome[] | undefined> {
  const waves: number[][] = []
  const echoes: [place: number, of: number][] = []
  const last = new Map<string, { place: number; wave: number }>()
  for (const [place, identity] of identities.entries()) {
    const earlier = identity === undefined ? undefined : last.get(identity)
    if (earlier !== undefined && repeats(rows, place, earlier.place)) {
      echoes.push([place, earlier.place])
      continue
    }
    const wave = earlier === undefined ? 0 : earlier.wave + 1
    waves[wave] ??= []
    waves[wave].push(place)
    if (identity !== undefined) last.set(identity, { place, wave })
  }
  if (waves.length < 2 && echoes.length === 0) return undefined
  const outcomes: RowOutcome[] = rows.map(() => 'unchanged')
  for (const wave of waves) {
    const done = await write(wave.flatMap((place) => rows[place] ?? []))
    for (const [k, place] of wave.entries()) outcomes[place] = done[k] ?? 'unchanged'
  }
  for (const [place, of] of echoes) {
    const outcome = outcomes[of]
    if (typeof outcome === 'object') outcomes[place] = outcome
  }
  return outcomes
}

function repeats(rows: readonly ImportRow[], place: number, earlier: number): boolean {
  return isDeepStrictEqual(rows[place]?.values, rows[earlier]?.values)
}
