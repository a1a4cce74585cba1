import { isDeepStrictEqual } from 'node:util'
import type { ImportRow, RowOutcome } from './kind.ts'

/**
 * Writes rows in rounds, each with at most one row per object, so that a later row about an object sees
 * what the earlier row wrote. A row equal to the earlier row of its object is not written again.
 * Returns undefined if no object occurs twice: one round is enough.
 *
 * @param identities the same text for rows about the same object; undefined if the object is not known
 */
export async function writeInRounds(
  rows: readonly ImportRow[],
  identities: readonly (string | undefined)[],
  write: (round: readonly ImportRow[]) => Promise<readonly RowOutcome[]>,
): Promise<RowOutcome[] | undefined> {
  const rounds: number[][] = []
  const echoes: [place: number, of: number][] = []
  const last = new Map<string, { place: number; round: number }>()
  for (const [place, identity] of identities.entries()) {
    const earlier = identity === undefined ? undefined : last.get(identity)
    if (earlier !== undefined && repeats(rows, place, earlier.place)) {
      echoes.push([place, earlier.place])
      continue
    }
    const round = earlier === undefined ? 0 : earlier.round + 1
    rounds[round] ??= []
    rounds[round].push(place)
    if (identity !== undefined) last.set(identity, { place, round })
  }
  if (rounds.length < 2 && echoes.length === 0) return undefined
  const outcomes: RowOutcome[] = rows.map(() => 'unchanged')
  for (const round of rounds) {
    const done = await write(round.flatMap((place) => rows[place] ?? []))
    for (const [k, place] of round.entries()) outcomes[place] = done[k] ?? 'unchanged'
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
