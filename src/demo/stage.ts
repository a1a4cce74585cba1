import { sha256 } from '../foundation/crypto/digest.ts'
import { uuidFromBytes } from '../foundation/crypto/random.ts'
import type { SchoolContent } from './content/school-content.ts'
import type { DemoClock } from './demo-clock.ts'
import type { RowSet } from './row-set.ts'

/** One school of the demo world while its rows are collected. */
export interface Stage {
  readonly school: SchoolContent
  readonly schoolId: string
  readonly clock: DemoClock
  readonly rows: RowSet
}

export function schoolId(school: SchoolContent): string {
  return demoId(`school/${school.key}`)
}

/** The id of an object of the school: `idAt(stage, 'course', slug)`. */
export function idAt(stage: Stage, kind: string, name: string): string {
  return demoId(`${stage.school.key}/${kind}/${name}`)
}

/** Prices are written in whole units; every currency here has two minor digits (ISO 4217). */
export function minorUnits(price: number): number {
  return price * 100
}

/**
 * One name has one id on every machine, so that documents and tests may quote it.
 *
 * @see RFC 9562 §5.8 (version 8: the content is the maker's own)
 */
export function demoId(name: string): string {
  const bytes = sha256(`schoolgate-demo:${name}`).subarray(0, 16)
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}

/**
 * A number of that many digits that looks like one of a payment provider and is always the same.
 */
export function demoDigits(name: string, digits: number): string {
  const number = sha256(`schoolgate-demo:${name}`).readBigUInt64BE() % 10n ** BigInt(digits)
  return number.toString().padStart(digits, '0')
}

/** Pseudo-random numbers that are the same every time. */
export interface Variety {
  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  pick<const T>(list: readonly [T, ...T[]]): T
}

/**
 * mulberry32, seeded with a name: one stream per subject, so that more rows for one subject change
 * no other.
 */
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
