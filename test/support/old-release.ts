import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import {
  CREATE_RECORD,
  type Migration,
  recordMigration,
} from '../../src/foundation/db/migration/migrations.ts'

/** All migrations of version 0.1.0 in one file, each after a line with its name. */
const FIXTURE = new URL('../fixtures/released/migrations-0.1.0.sql', import.meta.url)

export async function oldMigrations(): Promise<readonly Migration[]> {
  const [, ...parts] = (await readFile(FIXTURE, 'utf8')).split(/^-- file: (.*)\n/m)
  return parts.flatMap((name, index) => {
    const sql = parts[index + 1] ?? ''
    if (index % 2 === 1) return []
    return { number: index / 2 + 1, name, sql, digest: sha256(sql).toString('hex') }
  })
}

/** Makes the schema of version 0.1.0 in an empty database, with a school and a member. */
export async function makeOldRelease(client: pg.Client): Promise<void> {
  await client.query(CREATE_RECORD)
  for (const migration of await oldMigrations()) {
    await client.query(migration.sql)
    await recordMigration(client, migration)
  }
  await client.query(`
    insert into schools (id, subdomain, origin, name)
      values ('00000000-0000-7000-8000-000000000001', 'old', 'http://old.test', 'The old school');
    insert into users (id, email, name)
      values ('00000000-0000-7000-8000-000000000002', 'ada@old.test', 'Ada');
    insert into school_members (school_id, user_id, roles)
      values ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', '{student}')`)
}
