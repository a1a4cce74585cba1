import { sql } from 'kysely'
import { type SchoolDb, type SchoolTx, unconfirmed } from '../../foundation/db/school-db.ts'
import { retryCollision } from '../../foundation/db/unavailable.ts'
import { refusalFromDatabase } from '../operation/database-refusal.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'

export type Attempted<R> =
  | { readonly kind: 'done'; readonly value: R }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** Runs work in a unit that is committed or rolled back as a whole, and returns the refusal if there is one. */
export type Attempt = <R>(work: (tx: SchoolTx) => Promise<R>) => Promise<Attempted<R>>

/** Runs each attempt in its own transaction. */
export function attemptsAt(at: SchoolDb): Attempt {
  return async (work) => {
    try {
      return { kind: 'done', value: await retryCollision(() => at.transaction(work)) }
    } catch (error) {
      return refusedBy(error)
    }
  }
}

/**
 * Runs all attempts in one transaction and rolls it back at the end. Later rows see what earlier rows
 * wrote, so a dry run judges like a real one.
 */
export async function dryRun<R>(
  at: SchoolDb,
  perform: (attempt: Attempt, tx: SchoolTx) => Promise<R>,
): Promise<R> {
  let performed: { readonly value: R } | undefined
  try {
    // It changes nothing, and what its caller holds must not stay locked until the end of the file.
    await unconfirmed(at).transaction(async (tx) => {
      performed = { value: await perform(savepointsIn(tx), tx) }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack) || performed === undefined) throw error
  }
  if (performed === undefined) throw new Error('the dry run ended without a result')
  return performed.value
}

class RolledBack extends Error {}

/** Runs each attempt in a savepoint of this transaction. */
export function savepointsIn(tx: SchoolTx): Attempt {
  return async (work) => {
    await tx.run(sql`savepoint attempt`)
    try {
      const value = await work(tx)
      // Deferred constraints are checked at commit, which a dry run never reaches.
      await tx.run(sql`set constraints all immediate`)
      await tx.run(sql`set constraints all deferred`)
      await tx.run(sql`release savepoint attempt`)
      return { kind: 'done', value }
    } catch (error) {
      await tx.run(sql`rollback to savepoint attempt`)
      return refusedBy(error)
    }
  }
}

function refusedBy(error: unknown): { readonly kind: 'refused'; readonly refusal: Refusal } {
  const refusal = error instanceof OperationRefused ? error.refusal : refusalFromDatabase(error)
  if (refusal === undefined) throw error
  return { kind: 'refused', refusal }
}
