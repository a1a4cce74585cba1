import { type RawBuilder, sql } from 'kysely'
import { constantTimeEqual } from '../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import {
  acrossSchools,
  type SchoolDb,
  type SchoolTx,
  unconfirmed,
} from '../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../foundation/protocol/token-format.ts'
import type { Role } from '../actor/actor.ts'
import { keepFactors } from './factors/lost-factors.ts'
import type { Person } from './person.ts'

/** A browser session ends IDLE_DAYS after its last use, and LONGEST_DAYS after its start. */
const IDLE_DAYS = 14
const LONGEST_DAYS = 90
/**
 * Browsers of a person that stay signed in, at all schools together; the ones not seen for longest
 * end first.
 */
const MOST_SESSIONS = 100
/** `last_seen_at` is updated this often at most, so that not every page view is a write. */
const SEEN_WITHIN_MINUTES = 10

/** A session `b` that still opens pages. */
export const isOpen = sql<boolean>`(b.expires_at > now()
  and b.created_at > now() - make_interval(days => ${sql.lit(LONGEST_DAYS)}))`

/** A signed-in browser at one school's origin. */
export interface BrowserSession {
  readonly id: string
  readonly person: Person
  readonly roles: readonly Role[]
  /** The time of the last proof: OpenID Connect's auth_time. */
  readonly authenticatedAt: Date
  /** What was proved in this session; the last of it then. */
  readonly methods: readonly ProofMethod[]
  /**
   * When the passkey or authenticator of the last proof was added; undefined if that proof was
   * another.
   */
  readonly factorSince: Date | undefined
  /** The time of the database when this was read, to compute ages. */
  readonly readAt: Date
}

/**
 * A passkey that the device did not unlock (`unverified_passkey`) shows only that it is at hand.
 * One that was proved before the last proof is `earlier_passkey`: the session has two factors, but
 * its last proof was one that can be phished. A trusted device proves nothing: it says why no code
 * was asked for. `other_school` is a passkey or a code that the person proved at the school where
 * it works, for this session (`factors/other-school.ts`).
 */
export const PROOF_METHODS = [
  'password',
  'passkey',
  'unverified_passkey',
  'earlier_passkey',
  'code',
  'recovery_code',
  'mail_link',
  'trusted_device',
  'other_school',
] as const
export type ProofMethod = (typeof PROOF_METHODS)[number]

const FACTORS: ReadonlySet<ProofMethod | undefined> = new Set<ProofMethod>([
  'passkey',
  'unverified_passkey',
  'code',
  'recovery_code',
  'other_school',
])

/** Whether the last proof was a passkey or a code. */
export function isProvedByFactor({ methods }: Pick<BrowserSession, 'methods'>): boolean {
  return FACTORS.has(methods.at(-1))
}

interface PasswordCredential {
  readonly kind: 'password'
  /** The stored hash that the password fitted. */
  readonly hash: string
}

/** The person has an authenticator app, and gave a code of it or a recovery code. */
interface FactorCredential {
  readonly kind: 'second_factor'
}

interface PasskeyCredential {
  readonly kind: 'passkey'
  readonly id: string
}

/** A person who has just proved who they are. */
export interface ProvenPerson {
  readonly person: Person
  readonly credential: PasswordCredential | PasskeyCredential | FactorCredential
  readonly methods: readonly ProofMethod[]
}

export interface ProvenByPassword extends ProvenPerson {
  readonly credential: PasswordCredential
}

/**
 * The person, if the credential is still theirs. The rows are locked, so that a change waits, or is
 * seen here.
 */
function stillProven(db: SchoolDb, { person, credential }: ProvenPerson): RawBuilder<unknown> {
  const alive = sql`u.id = ${person.id} and u.deleted_at is null`
  if (credential.kind === 'password') {
    return sql`select u.id from users u where ${alive} and u.password_hash = ${credential.hash} for share`
  }
  if (credential.kind === 'second_factor') {
    return sql`select u.id from users u join authenticators a on a.user_id = u.id where ${alive} for share`
  }
  return sql`
      select u.id from users u join passkeys p on p.user_id = u.id
      where ${alive} and p.school_id = ${db.schoolId} and p.id = ${credential.id} and p.cloned_at is null
      for share`
}

/**
 * `stillProven`, for a new session or a renewed proof. The authenticator is looked for in a
 * statement of its own, once the person is locked, as `switchOnSecondFactor` locks them: a sign-in
 * that was under way while it was switched on gets no session.
 */
async function lockProven(tx: SchoolTx, proven: ProvenPerson): Promise<boolean> {
  const { rows } = await tx.run(sql`${stillProven(tx, proven)}`)
  if (rows.length === 0) return false
  if (!proven.methods.every((method) => ALONE.has(method))) return true
  const { rows: authenticators } = await tx.run(sql`
    select from authenticators where user_id = ${proven.person.id}`)
  return authenticators.length === 0
}

/** When the passkey or authenticator was added that was proved last. */
function factorSince(
  db: SchoolDb,
  { person, credential, methods }: ProvenPerson,
): RawBuilder<Date | null> {
  const last = methods.at(-1)
  if (last === 'code' || last === 'recovery_code') {
    return sql`(select created_at from authenticators where user_id = ${person.id})`
  }
  if (credential.kind !== 'passkey') return sql`null::timestamptz`
  return sql`(select created_at from passkeys where id = ${credential.id} and school_id = ${db.schoolId})`
}

/** Not enough for a person who has an authenticator app. */
const ALONE: ReadonlySet<ProofMethod> = new Set(['password', 'mail_link'])

/**
 * Starts a session. Only a hash of the cookie's secret is stored. The first one at a school is
 * noted on the membership.
 *
 * Undefined if the password was changed, the passkey removed or a second factor switched on since
 * it was checked: each ends all other sessions, and this one must not begin after that.
 */
export async function startSession(
  db: SchoolDb,
  proven: ProvenPerson,
  device: string,
): Promise<{ cookie: string; id: string; roles: readonly Role[] } | undefined> {
  const id = uuidv7()
  const token = mintToken('session', id)
  const userId = proven.person.id
  const begun = await unconfirmed(db).transaction(async (tx) => {
    if (!(await lockProven(tx, proven))) return undefined
    const { rows } = await tx.run(sql<{ roles: Role[] | null }>`
      with noted as (
        update school_members set signed_in_at = now()
        where school_id = ${tx.schoolId} and user_id = ${userId} and signed_in_at is null),
      surplus as (
        delete from browser_sessions where id in (
          select id from browser_sessions where user_id = ${userId}
          order by last_seen_at desc, id desc offset ${MOST_SESSIONS - 1}))
      insert into browser_sessions (id, secret_hash, school_id, user_id, device, methods, factor_since, expires_at)
      values (${id}, ${token.hash}, ${tx.schoolId}, ${userId}, ${device.slice(0, 200)}, ${proven.methods}::text[],
        ${factorSince(tx, proven)}, now() + make_interval(days => ${IDLE_DAYS}))
      returning (
        select roles from school_members m where m.school_id = ${tx.schoolId} and m.user_id = ${userId}) as roles`)
    if (isProvedByFactor(proven)) await keepFactors(acrossSchools(tx), userId)
    return rows[0]
  })
  return begun && { cookie: token.value, id, roles: begun.roles ?? [] }
}

/**
 * The person of a session proved again who they are. The session gets a new secret, so that a
 * stolen copy of the old cookie ends here; its id stays, so that forms in other tabs still fit.
 * Undefined if the session has ended, is another person's, or the credential has changed since.
 */
export async function renewProof(
  db: SchoolDb,
  sessionId: string,
  proven: ProvenPerson,
): Promise<{ cookie: string } | undefined> {
  const token = mintToken('session', sessionId)
  const isRenewed = await unconfirmed(db).transaction(async (tx) => {
    if (!(await lockProven(tx, proven))) return false
    const { rows } = await tx.run(sql`
      update browser_sessions b
      set authenticated_at = now(), methods = ${proven.methods}::text[], secret_hash = ${token.hash},
        factor_since = ${factorSince(tx, proven)}
      where b.id = ${sessionId} and b.school_id = ${tx.schoolId} and b.user_id = ${proven.person.id} and b.expires_at > now()
      returning b.id`)
    if (isProvedByFactor(proven)) await keepFactors(acrossSchools(tx), proven.person.id)
    return rows.length > 0
  })
  return isRenewed ? { cookie: token.value } : undefined
}

/**
 * What a session has proved with one proof more, which is the last one. A code is the proof that a
 * trusted device left out.
 */
export function withProof(
  methods: readonly ProofMethod[],
  method: ProofMethod,
): readonly ProofMethod[] {
  const kept = methods.flatMap((one) => {
    if (one === 'trusted_device') return method === 'password' ? one : []
    if (one === 'unverified_passkey') return []
    if (one === 'passkey' || one === 'earlier_passkey') {
      return method === 'passkey' ? [] : ('earlier_passkey' as const)
    }
    return one === method ? [] : one
  })
  return [...kept, method]
}

/** The person of this session added an authenticator just now, and gave its code. */
export async function addCodeProof(db: SchoolDb, { id, methods }: BrowserSession): Promise<void> {
  await db
    .update('browser_sessions')
    .set({
      authenticated_at: sql<Date>`now()`,
      methods: [...withProof(methods, 'code')],
      factor_since: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

interface SessionRow {
  secret_hash: Buffer
  user_id: string
  email: string
  name: string
  avatar_url: string | null
  roles: Role[] | null
  authenticated_at: Date
  methods: ProofMethod[]
  factor_since: Date | null
  read_at: Date
  stale: boolean
}

export async function findSession(
  db: SchoolDb,
  cookie: string | undefined,
): Promise<BrowserSession | undefined> {
  const token = cookie === undefined ? undefined : parseToken('session', cookie)
  if (token === undefined) return undefined
  const { rows } = await db.run(sql<SessionRow>`
    select b.secret_hash, b.user_id, u.email, u.name, u.avatar_url, m.roles, b.authenticated_at, b.methods, b.factor_since, now() as read_at,
      b.last_seen_at < now() - make_interval(mins => ${SEEN_WITHIN_MINUTES}) as stale
    from browser_sessions b
      join users u on u.id = b.user_id and u.deleted_at is null
      left join school_members m on m.school_id = b.school_id and m.user_id = b.user_id
    where b.id = ${token.id} and b.school_id = ${db.schoolId} and ${isOpen}`)
  const row = rows[0]
  if (row === undefined || !constantTimeEqual(row.secret_hash, token.hash)) return undefined
  if (row.stale) await keepSession(db, token.id)
  return {
    id: token.id,
    person: {
      id: row.user_id,
      email: row.email,
      name: row.name,
      avatarUrl: row.avatar_url ?? undefined,
    },
    roles: row.roles ?? [],
    authenticatedAt: row.authenticated_at,
    methods: row.methods,
    factorSince: row.factor_since ?? undefined,
    readAt: row.read_at,
  }
}

/**
 * Whether a session can still be used. The row of one that has expired stays until it is purged.
 */
export async function isSessionOpen(db: SchoolDb, id: string): Promise<boolean> {
  const { rows } = await db.run(sql`
    select from browser_sessions b where b.id = ${id} and b.school_id = ${db.schoolId} and ${isOpen}`)
  return rows.length > 0
}

/**
 * Whether the session goes on, with all roles that its person had when it was read. A session that
 * expired meanwhile goes on. docs/architecture.md has the order of locks.
 */
export function sessionHolds(db: SchoolDb, { id, roles }: BrowserSession): RawBuilder<boolean> {
  return sql`(exists (
      select from users u join browser_sessions b on b.user_id = u.id
      where b.id = ${id} and b.school_id = ${db.schoolId} and u.deleted_at is null for share of u, b)
    and (${roles}::text[] = '{}' or exists (
      select from school_members m join browser_sessions b on b.school_id = m.school_id and b.user_id = m.user_id
      where b.id = ${id} and m.roles @> ${roles}::text[] for share of m)))`
}

async function keepSession(db: SchoolDb, id: string): Promise<void> {
  await db
    .update('browser_sessions')
    .set({
      last_seen_at: sql<Date>`now()`,
      expires_at: sql<Date>`now() + make_interval(days => ${IDLE_DAYS})`,
    })
    .where('id', '=', id)
    .execute()
}

export async function endSession(db: SchoolDb, id: string): Promise<void> {
  await db.delete('browser_sessions').where('id', '=', id).execute()
}

/** Ends the sessions of a person at this school. */
export async function endSessionsAt(db: SchoolDb, userId: string): Promise<void> {
  await db.delete('browser_sessions').where('user_id', '=', userId).execute()
}

/**
 * Crosses schools: ends all sessions of a person but those named. No browser stays trusted: the
 * next sign-in asks for a code again. Calendars that read the bookings stop, too.
 */
export async function endSessionsOfPerson(
  db: Db,
  userId: string,
  ...except: readonly string[]
): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      delete from browser_sessions
      where user_id = ${userId} and id <> all (${except}::uuid[]) returning 1),
    forgotten as (delete from trusted_devices where user_id = ${userId}),
    unread as (delete from calendar_feeds where user_id = ${userId})
    select count(*) as ended from ended`.execute(db)
  return rows[0]?.ended ?? 0
}
