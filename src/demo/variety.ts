import { sha256 } from '../foundation/crypto/digest.ts'

/** Pseudo-random numbers that are the same every time. */
export interface Variety {
  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  pick<const T>(list: readonly [T, ...T[]]): T
}

/** mulberry32, seeded with a name: one stream per subject, so that more rows for one subject change no other. */
export function varietyOf(name: string): Variety {
  let state = sha256(`schoolgate-demo:${name}`).readUInt32BE()
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    integer,
    chance: (probability) => next() < probability,
    pick: (list) => list[integer(0, list.length - 1)] ?? list[0],
  }
}
