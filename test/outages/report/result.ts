import type { Run, Scenario } from '../scenario.ts'

/** At most so long after the database is back. */
const RECOVERY_SECONDS = 2
/** Failures that a client can expect: it is told when to come back, or its connection ends. */
const PERMITTED_FAILURES = new Set(['503', 'no answer'])

/** One row of the table. */
export interface Result {
  readonly name: string
  readonly faults: string
  /** The day of the run. */
  readonly day: string
  readonly seconds: number
  readonly requests: number
  /** Requests without a verdict, by kind. */
  readonly failures: Readonly<Record<string, number>>
  readonly longestMs: number
  readonly writes: number
  readonly lost: number
  readonly revokedAccepted: number
  readonly signedOut: number
  readonly recovery: number | null
  readonly notes: readonly string[]
  /** Why it failed; empty if it holds. */
  readonly problems: readonly string[]
}

export function resultOf({ name, faults }: Scenario, run: Run, seconds: number): Result {
  const { ledger, figures, errors } = run.traffic
  const { lost, revokedAccepted, signedOut } = ledger
  const failures = figures.byKind()
  const recovery = run.recovery ?? null
  return {
    name,
    faults,
    day: new Date().toISOString().slice(0, 10),
    seconds: Math.round(seconds),
    requests: figures.requests,
    failures,
    longestMs: figures.longestMs,
    writes: ledger.writes,
    lost: lost.length,
    revokedAccepted: revokedAccepted.length,
    signedOut: signedOut.length,
    recovery,
    notes: run.notes ?? [],
    problems: [
      ...some('acknowledged writes lost', lost),
      ...some('revoked tokens accepted', revokedAccepted),
      ...some('clients signed out', signedOut),
      ...some('unexpected', errors),
      ...Object.keys(failures)
        .filter((kind) => !PERMITTED_FAILURES.has(kind))
        .map((kind) => `${failures[kind]} answers of ${kind}`),
      ...(recovery !== null && recovery > RECOVERY_SECONDS
        ? [`${recovery.toFixed(1)} s until normal answers`]
        : []),
    ],
  }
}

/** A scenario that could not be carried out. */
export function brokenResult({ name, faults }: Scenario, error: unknown): Result {
  return {
    ...{ name, faults, day: new Date().toISOString().slice(0, 10), seconds: 0, requests: 0 },
    ...{ failures: {}, longestMs: 0, writes: 0, lost: 0, revokedAccepted: 0, signedOut: 0 },
    ...{ recovery: null, notes: [], problems: [String(error)] },
  }
}

function some(what: string, found: readonly string[]): readonly string[] {
  const [first] = found
  return first === undefined ? [] : [`${found.length} ${what}; the first: ${first}`]
}
