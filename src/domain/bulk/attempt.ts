import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { refusalFromDatabase } from '../operation/database-refusal.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'

export type Attempted<R> =
  | { readonly kind: 'done'; readonly value: R }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** Does something whole or not at all, and tells why not. */
export type Attempt = <R>(work: (tx: SchoolTx) => Promise<R>) => Promise<Attempted<R>>

const TRIES = 5

/** Each attempt is a transaction of its own. */
export function attemptsAt(at: SchoolDb): Attempt {
  return async (work) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return { kind: 'done', value: await at.transaction(work) }
      } catch (error) {
        if (collided(error) && tries < TRIES) continue
        return refusedBy(error)
      }
    }
  }
}

/** Two imports that wrote the same rows in different orders: the one that was stopped tries again. */
function collided(error: unknown): boolean {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return code === '40P01' || code === '40001'
}

/**
 * All attempts in one transaction that is taken back in the end: later rows find what earlier ones
 * would have made, and the judgement is the real one.
 */
export async function rehearsal<R>(
  at: SchoolDb,
  perform: (attempt: Attempt) => Promise<R>,
): Promise<R> {
  let performed: { readonly value: R } | undefined
  try {
    await at.transaction(async (tx) => {
      performed = { value: await perform(savepointsIn(tx)) }
      throw new TakenBack()
    })
  } catch (error) {
    if (!(error instanceof TakenBack) || performed === undefined) throw error
  }
  if (performed === undefined) throw new Error('a rehearsal ended before it began')
  return performed.value
}

class TakenBack extends Error {}

function savepointsIn(tx: SchoolTx): Attempt {
  return async (work) => {
    await tx.run(sql`savepoint attempt`)
    try {
      const value = await work(tx)
      // Rules that wait for the end of a transaction would otherwise never be looked at.
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
