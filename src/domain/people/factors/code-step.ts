import { sql } from 'kysely'
import { z } from 'zod'
import { constantTimeEqual, sha256 } from '../../../foundation/crypto/digest.ts'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import { type Keyring, openMessage, sealMessage } from '../../../foundation/crypto/seal.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../../foundation/protocol/token-format.ts'
import { isOperator, type Role } from '../../actor/actor.ts'
import { PROOF_METHODS, type ProvenByPassword, type ProvenPerson } from '../sessions.ts'

/*
 * Between the first factor and the second nothing is stored. The proof of the first travels sealed
 * through the form. It fits only the credential that was checked, and only the browser in which it
 * was given.
 */

const PURPOSE = 'code-step'
const LIFETIME_MS = 10 * 60 * 1000

const credential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('password'), digest: z.string() }),
  z.object({ kind: z.literal('passkey'), id: z.string() }),
])

const schema = z.object({
  userId: z.string(),
  credential,
  methods: z.array(z.enum(PROOF_METHODS)),
  browser: z.string(),
  isShort: z.boolean(),
})

export interface CodeStep {
  readonly proven: ProvenPerson
  /** The password is right but too short: a longer one is asked for after the code. */
  readonly isShort: boolean
}

export function sealCodeStep(
  keyring: Keyring,
  schoolId: string,
  /** What the browser proves by a cookie. */
  browser: string,
  { proven, isShort }: CodeStep,
): string {
  const { person, methods } = proven
  const checked =
    proven.credential.kind === 'password'
      ? { kind: 'password', digest: digestOf(proven.credential.hash) }
      : proven.credential
  const step = { userId: person.id, credential: checked, methods, browser, isShort }
  return sealMessage(keyring, PURPOSE, schoolId, step, Date.now() + LIFETIME_MS)
}

interface PersonRow {
  id: string
  email: string | null
  name: string
  avatar_url: string | null
  password_hash: string | null
  roles: Role[] | null
  factor_since: Date | null
}

interface FoundStep extends CodeStep {
  /** The person's roles at this school. */
  readonly roles: readonly Role[]
  /** When the authenticator app was added; undefined if it was removed meanwhile. */
  readonly factorSince: Date | undefined
}

/** Undefined if the step is forged, too old or of another browser. */
export async function findCodeStep(
  db: SchoolDb,
  keyring: Keyring,
  browsers: readonly string[],
  sealed: string | undefined,
): Promise<FoundStep | undefined> {
  const opened = openMessage(keyring, PURPOSE, db.schoolId, sealed, Date.now())
  const step = schema.safeParse(opened).data
  if (step === undefined || !browsers.includes(step.browser)) return undefined
  const { rows } = await db.run(sql<PersonRow>`
    select u.id, u.email, u.name, u.avatar_url, u.password_hash, m.roles, a.created_at as factor_since
    from users u
      left join school_members m on m.school_id = ${db.schoolId} and m.user_id = u.id
      left join authenticators a on a.user_id = u.id
    where u.id = ${step.userId} and u.deleted_at is null`)
  const [row] = rows
  if (row?.email == null) return undefined
  const proof = credentialOf(step.credential, row.password_hash)
  if (proof === undefined) return undefined
  const { id, email, name, avatar_url } = row
  const person = { id, email, name, avatarUrl: avatar_url ?? undefined }
  return {
    proven: { person, credential: proof, methods: step.methods },
    isShort: step.isShort,
    roles: row.roles ?? [],
    factorSince: row.factor_since ?? undefined,
  }
}

/** A passkey is looked for when the session starts. */
function credentialOf(
  checked: z.output<typeof credential>,
  hash: string | null,
): ProvenPerson['credential'] | undefined {
  if (checked.kind === 'passkey') return checked
  if (hash === null || digestOf(hash) !== checked.digest) return undefined
  return { kind: 'password', hash }
}

const digestOf = (hash: string) => sha256(hash).toString('base64url')

export const TRUSTED_DAYS = 30
/** Browsers that a person trusts, at all schools together; the oldest give way. */
const MOST_DEVICES = 20

/**
 * Remembers that the person gave a code in this browser, and returns the cookie; only its hash is
 * stored. Undefined if the password was changed or the second factor switched off meanwhile: both
 * end what is trusted, and this must not begin afterwards.
 */
export async function trustDevice(
  db: SchoolDb,
  { person, credential }: ProvenByPassword,
): Promise<string | undefined> {
  const id = uuidv7()
  const token = mintToken('trustedDevice', id)
  const { rows } = await db.run(sql<{ id: string }>`
    with proven as materialized (
      select u.id from users u join authenticators a on a.user_id = u.id
      where u.id = ${person.id} and u.password_hash = ${credential.hash}
      for share),
    surplus as (
      delete from trusted_devices where id in (
        select id from trusted_devices where user_id in (select id from proven)
        order by id desc offset ${MOST_DEVICES - 1}))
    insert into trusted_devices (id, secret_hash, school_id, user_id, expires_at)
    select ${id}, ${token.hash}, ${db.schoolId}, proven.id, now() + make_interval(days => ${TRUSTED_DAYS})
    from proven returning id`)
  return rows.length === 0 ? undefined : token.value
}

/** Whether this person trusts the browser with this cookie, at this school. */
export async function isTrustedDevice(
  db: SchoolDb,
  userId: string,
  cookie: string | undefined,
  /**
   * False if the school demands a second factor of its owners and admins: they give it each time.
   */
  operatorsMayTrust: boolean,
): Promise<boolean> {
  const token = cookie === undefined ? undefined : parseToken('trustedDevice', cookie)
  if (token === undefined) return false
  const { rows } = await db.run(sql<{ secret_hash: Buffer; roles: Role[] | null }>`
    select d.secret_hash, m.roles
    from trusted_devices d
      left join school_members m on m.school_id = d.school_id and m.user_id = d.user_id
    where d.id = ${token.id} and d.school_id = ${db.schoolId} and d.user_id = ${userId}
      and d.expires_at > now()`)
  const [row] = rows
  if (row === undefined || !constantTimeEqual(row.secret_hash, token.hash)) return false
  return operatorsMayTrust || !isOperator(row.roles ?? [])
}
