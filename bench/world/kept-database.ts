import pg from 'pg'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/foundation/db/migration/migrate.ts'

/** A database that is filled once and kept between runs. */
interface Kept {
  /** How the names of such databases begin; older ones with this beginning are dropped. */
  readonly prefix: string
  /** What the rows follow from: with other texts, it is filled anew. */
  readonly madeOf: readonly string[]
  /** For `create database`. */
  readonly settings?: string
  fill(client: pg.Client, address: DatabaseAddress): Promise<void>
}

/** Returns the name of the database, which has the newest schema when it is filled. */
export async function ensureKept(
  server: DatabaseAddress,
  { prefix, madeOf, settings = '', fill }: Kept,
): Promise<string> {
  const name = `${prefix}_${sha256(madeOf.join()).toString('hex').slice(0, 12)}`
  const { rows } = await administer(
    server,
    `select datname from pg_database where starts_with(datname, '${prefix}_')`,
  )
  if (rows.some(({ datname }) => datname === name)) return name
  for (const { datname } of rows) await administer(server, `drop database ${datname} with (force)`)
  // Under another name until it is complete: an interrupted run starts again.
  const unfinished = `unfinished_${prefix}`
  await administer(server, `drop database if exists ${unfinished} with (force)`)
  await administer(server, `create database ${unfinished} ${settings}`)
  const address = { ...server, database: unfinished }
  await migrate(address)
  const client = new pg.Client({ ...address })
  await client.connect()
  try {
    await fill(client, address)
  } finally {
    await client.end()
  }
  await administer(server, `alter database ${unfinished} rename to ${name}`)
  return name
}

export async function administer(
  address: DatabaseAddress,
  sql: string,
  values: unknown[] = [],
): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...address })
  await client.connect()
  try {
    return await client.query(sql, values)
  } finally {
    await client.end()
  }
}
