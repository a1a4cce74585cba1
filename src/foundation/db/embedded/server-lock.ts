import { Client } from 'pg'
import { errorCode } from './embedded-postgres-error.ts'

/** Two arbitrary numbers, the same in all versions; they spell "scho" and "gate". */
const LOCK_CLASS = 0x7363686f
const LOCK_OBJECT = 0x67617465
const NAME_PREFIX = 'schoolgate server '

export interface LockAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

export type LockAttempt =
  | { readonly outcome: 'taken'; readonly client: Client }
  | { readonly outcome: 'held'; readonly pid: number | undefined }
  | { readonly outcome: 'not-yet'; readonly reason: unknown }
  | { readonly outcome: 'wrong-password' }

/**
 * One server per data folder: the server whose session holds this lock. PostgreSQL releases the lock when the
 * server ends, even if it is killed. The connection uses the database "postgres", so that our own database can
 * be copied and dropped.
 */
export async function tryServerLock(address: LockAddress): Promise<LockAttempt> {
  const client = new Client({
    ...address,
    database: 'postgres',
    ssl: false,
    application_name: `${NAME_PREFIX}${process.pid}`,
    connectionTimeoutMillis: 5_000,
  })
  // Without a listener a lost connection would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, $2) as taken',
      [LOCK_CLASS, LOCK_OBJECT],
    )
    if (rows[0]?.taken === true) return { outcome: 'taken', client }
    const pid = await findHolder(client)
    await client.end()
    return { outcome: 'held', pid }
  } catch (error) {
    await client.end().catch(() => {})
    if (errorCode(error) === '28P01') return { outcome: 'wrong-password' }
    return { outcome: 'not-yet', reason: error }
  }
}

async function findHolder(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [LOCK_CLASS, LOCK_OBJECT],
  )
  const name = rows[0]?.name
  return name?.startsWith(NAME_PREFIX) ? Number(name.slice(NAME_PREFIX.length)) : undefined
}

export async function readClusterName(client: Client): Promise<string> {
  const { rows } = await client.query<{ cluster_name: string }>('show cluster_name')
  return rows[0]?.cluster_name ?? ''
}
