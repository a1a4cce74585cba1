import { proveGrowth, proveWrite } from '../domain/setup/write-proof.ts'
import type { Database } from '../foundation/db/database.ts'
import type { Migration } from '../foundation/db/migration/migrations.ts'
import { findSchemaProblem } from '../foundation/db/migration/schema-problem.ts'
import { DISK_FULL, isDatabaseUnavailable } from '../foundation/db/unavailable.ts'
import type { ReadinessCheck } from '../foundation/http/health.ts'

/** A write that was proven counts for so long: load balancers ask every second. */
const PROVEN_FOR_MS = 10_000

/** What `/readyz` checks. */
export function readinessChecks(
  database: Database,
  migrations: readonly Migration[],
  isDraining: () => boolean,
  provenForMs = PROVEN_FOR_MS,
): readonly ReadinessCheck[] {
  let provenAt = Number.NEGATIVE_INFINITY

  const findDatabaseProblem = async (): Promise<string | undefined> => {
    const problem = await findSchemaProblem(
      (sql, values) => database.pool.query(sql, values),
      migrations,
    )
    if (problem !== undefined) return problem
    if (database.disk.isFull) {
      await proveGrowth(database.db)
      database.disk.isFull = false
    }
    if (performance.now() - provenAt < provenForMs) return undefined
    await proveWrite(database.db)
    provenAt = performance.now()
    return undefined
  }

  return [
    {
      name: 'accepting requests',
      findProblem: () => (isDraining() ? 'The server is shutting down.' : undefined),
    },
    {
      name: 'database',
      findProblem: async () => {
        try {
          return await findDatabaseProblem()
        } catch (error) {
          provenAt = Number.NEGATIVE_INFINITY
          return isDatabaseUnavailable(error) && error.code === DISK_FULL
            ? 'The disk of the database is full.'
            : 'The database does not answer, or accepts no writes.'
        }
      },
    },
  ]
}
