import { sql } from 'kysely'
import { z } from 'zod'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { openMessage, sealMessage } from '../../../foundation/crypto/sealed-message.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { Role } from '../membership.ts'
import { PROOF_METHODS, type ProvenPerson } from '../sessions.ts'

/*
 * Between the first factor and the second nothing is stored. The proof of the first travels sealed through the form. It
 * fits only the credential that was checked, and only the browser in which it was given.
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
  at: SchoolDb,
  keyring: Keyring,
  browsers: readonly string[],
  sealed: string | undefined,
): Promise<FoundStep | undefined> {
  const opened = openMessage(keyring, PURPOSE, at.schoolId, sealed, Date.now())
  const step = schema.safeParse(opened).data
  if (step === undefined || !browsers.includes(step.browser)) return undefined
  const { rows } = await at.run(sql<PersonRow>`
    select u.id, u.email, u.name, u.avatar_url, u.password_hash, m.roles, a.created_at as factor_since
    from users u
      left join school_members m on m.school_id = ${at.schoolId} and m.user_id = u.id
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
