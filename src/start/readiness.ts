import type { Database } from '../foundation/db/database.ts'
import { isMigrated } from '../foundation/db/migration/migrate.ts'
import type { Migration } from '../foundation/db/migration/migrations.ts'
import type { ReadinessCheck } from '../foundation/http/health.ts'

/** What `/readyz` checks. */
export function readinessChecks(
  database: Database,
  migrations: readonly Migration[],
  isDraining: () => boolean,
): readonly ReadinessCheck[] {
  return [
    {
      name: 'accepting requests',
      findProblem: () => (isDraining() ? 'The server is shutting down.' : undefined),
    },
    {
      name: 'database',
      findProblem: async () => {
        try {
          const migrated = await isMigrated(
            (sql, values) => database.pool.query(sql, values),
            migrations,
          )
          return migrated ? undefined : 'Migrations are pending: run `npx schoolgate migrate`.'
        } catch {
          return 'The database does not answer.'
        }
      },
    },
  ]
}
