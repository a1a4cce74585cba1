import { sql } from 'kysely'
import { parseToken } from '../../src/foundation/protocol/token-format.ts'
import {
  type Answer,
  type AuthorizeOptions,
  aPkce,
  authorizeAs,
  type Pkce,
} from './browser-like.ts'
import { aPair, type Pair } from './client-like.ts'
import { CALLBACK, type TestClient, type TestPerson, type TestSchool, type World } from './world.ts'

/** A vendor platform that every school knows. */
export const CLAUDE: TestClient = {
  clientId: 'claude',
  secret: undefined,
  redirectUri: CALLBACK,
}

/** A pair of a vendor platform that an owner of the school authorized. */
export async function anOperatorPair(
  world: World,
  school: TestSchool,
  owner: TestPerson,
  options: AuthorizeOptions = {},
): Promise<Pair> {
  return await aPair(world, school, CLAUDE, owner, {
    scope: 'openid profile school:read',
    ...options,
  })
}

export interface FreshCode {
  readonly code: string
  readonly pkce: Pkce
}

/** A code that no client has exchanged yet. */
export async function aCode(
  world: World,
  school: TestSchool,
  client: TestClient,
  person: TestPerson,
  options: AuthorizeOptions = {},
): Promise<FreshCode> {
  const pkce = options.pkce ?? aPkce()
  const callback = await authorizeAs(world, school, client, person, { ...options, pkce })
  const code = callback.get('code')
  if (code === null) throw new Error(`no code: ${callback}`)
  return { code, pkce }
}

export function pairIdOf(pair: Pick<Pair, 'access_token'>): string {
  const id = parseToken('access', pair.access_token)?.id
  if (id === undefined) throw new Error('not an access token')
  return id
}

export function codeIdOf(code: string): string {
  const id = parseToken('code', code)?.id
  if (id === undefined) throw new Error('not a code')
  return id
}

/** Ages one pair: moves the times of its row back, because the database's clock decides. */
export async function agePair(world: World, pair: Pair, interval: string): Promise<void> {
  await sql`
    update token_pairs set issued_at = issued_at - ${interval}::interval,
      access_expires_at = access_expires_at - ${interval}::interval,
      refresh_expires_at = refresh_expires_at - ${interval}::interval
    where id = ${pairIdOf(pair)}`.execute(world.database.db)
}

export async function ageCode(world: World, code: string, interval: string): Promise<void> {
  await sql`
    update authorization_codes set expires_at = expires_at - ${interval}::interval
    where id = ${codeIdOf(code)}`.execute(world.database.db)
}

/** As if the code had been exchanged longer ago than a client repeats its own request. */
export async function ageUse(world: World, code: string): Promise<void> {
  await sql`
    update authorization_codes set consumed_at = consumed_at - interval '11 seconds'
    where id = ${codeIdOf(code)}`.execute(world.database.db)
}

/** Removes the school from a token record, as in old records without a school. */
export async function removeSchool(world: World, pair: Pair): Promise<void> {
  await world.database.db
    .updateTable('token_pairs')
    .set({ bound_school_id: null })
    .where('id', '=', pairIdOf(pair))
    .execute()
}

/** Removes the resource owner from a token record. */
export async function removeOwner(world: World, pair: Pair): Promise<void> {
  await sql`
    update authorizations set user_id = null
    where id = (select authorization_id from token_pairs where id = ${pairIdOf(pair)})`.execute(
    world.database.db,
  )
}

export async function pairRow(world: World, pair: Pair) {
  return await world.database.db
    .selectFrom('token_pairs')
    .selectAll()
    .where('id', '=', pairIdOf(pair))
    .executeTakeFirstOrThrow()
}

export async function isLive(world: World, pair: Pair): Promise<boolean> {
  const { rows } = await sql<{ live: boolean }>`
    select p.revoked_at is null and a.revoked_at is null as live
    from token_pairs p join authorizations a on a.id = p.authorization_id
    where p.id = ${pairIdOf(pair)}`.execute(world.database.db)
  return rows[0]?.live === true
}

export async function setRoles(
  school: TestSchool,
  person: TestPerson,
  roles: readonly string[],
): Promise<void> {
  await school.db
    .update('school_members')
    .set({ roles: [...roles] })
    .where('user_id', '=', person.id)
    .execute()
}

/** The person deletes their account. The membership row keeps its roles on purpose. */
export async function deletePerson(world: World, person: TestPerson): Promise<void> {
  await sql`
    update users set email = null, password_hash = null, deleted_at = now()
    where id = ${person.id}`.execute(world.database.db)
}

export interface AuditRow {
  readonly action: string
  readonly outcome: string
  readonly client_id: string | null
  readonly actor_user_id: string | null
  readonly authorization_id: string | null
  readonly detail: unknown
}

/** The audit entries of the school that `work` wrote, oldest first. */
export async function auditOf(
  school: TestSchool,
  work: () => Promise<unknown>,
): Promise<readonly AuditRow[]> {
  const read = () =>
    school.db
      .from('audit_entries')
      .select([
        'id',
        'action',
        'outcome',
        'client_id',
        'actor_user_id',
        'authorization_id',
        'detail',
      ])
      .where('action', 'not like', 'session.%')
      .orderBy('id')
      .execute()
  const before = new Set((await read()).map(({ id }) => id))
  await work()
  return (await read()).filter(({ id }) => !before.has(id)).map(({ id: _, ...row }) => row)
}

export async function getFrom(
  world: World,
  school: TestSchool,
  path: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'PUT' | 'DELETE' | 'POST' = 'GET',
): Promise<Answer> {
  return await world.app.inject({
    method,
    url: path,
    headers: { host: new URL(school.origin).host, ...headers },
  })
}
