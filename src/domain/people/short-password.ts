import { z } from 'zod'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { hashPassword } from '../../foundation/crypto/password.ts'
import { type Keyring, openMessage, sealMessage } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import {
  findPasswordProblem,
  minimumLength,
  type PasswordContext,
  type PasswordProblem,
} from './password-strength.ts'
import { PROOF_METHODS, type ProofMethod, type ProvenByPassword } from './sessions.ts'
import { setPassword } from './set-password.ts'

/*
 * A password from before today's rule may be right, but too short: a new one replaces it before the
 * sign-in gives a session. Nothing is stored in between. The proof that the person typed the old
 * one travels sealed through the form; it fits only the stored hash, so it works once, and only the
 * browser in which the old one was typed.
 */

const PURPOSE = 'short-password'
const LIFETIME_MS = 15 * 60 * 1000

const schema = z.object({
  userId: z.string(),
  digest: z.string(),
  browser: z.string(),
  methods: z.array(z.enum(PROOF_METHODS)),
})

const digestOf = (hash: string) => sha256(hash).toString('base64url')

export function sealShortPassword(
  keyring: Keyring,
  schoolId: string,
  /** What the browser proves by a cookie. */
  browser: string,
  { person, credential, methods }: ProvenByPassword,
): string {
  const proof = { userId: person.id, digest: digestOf(credential.hash), browser, methods }
  return sealMessage(keyring, PURPOSE, schoolId, proof, Date.now() + LIFETIME_MS)
}

/**
 * The person whose short password this proves; undefined if it is forged, too old, used or of
 * another browser.
 */
export async function findShortPassword(
  db: Db,
  keyring: Keyring,
  schoolId: string,
  browsers: readonly string[],
  sealed: string | undefined,
): Promise<ProvenByPassword | undefined> {
  const proof = schema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now())).data
  if (proof === undefined || !browsers.includes(proof.browser)) return undefined
  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'avatar_url', 'password_hash'])
    .where('id', '=', proof.userId)
    .executeTakeFirst()
  if (!row?.email || !row.password_hash || digestOf(row.password_hash) !== proof.digest) {
    return undefined
  }
  const { id, name, email, avatar_url } = row
  return {
    person: { id, name, email, avatarUrl: avatar_url ?? undefined },
    credential: { kind: 'password', hash: row.password_hash },
    methods: proof.methods,
  }
}

/**
 * The minimum for a person who proved this: a code shows that their password sign-ins ask for one.
 */
export function shortestAfter(methods: readonly ProofMethod[]): number {
  return minimumLength(methods.some((method) => method !== 'password'))
}

export type Replacement =
  | ({ readonly kind: 'replaced' } & ProvenByPassword)
  | { readonly kind: 'expired' }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

export async function replaceShortPassword(
  db: SchoolDb,
  { person, credential, methods }: ProvenByPassword,
  request: {
    readonly next: string
    readonly school: PasswordContext['school']
    readonly requestId: string
  },
): Promise<Replacement> {
  const about = { ...person, school: request.school }
  const problem = await findPasswordProblem(request.next, about, shortestAfter(methods))
  if (problem !== undefined) return { kind: 'unfit', problem }
  const hash = await hashPassword(request.next, db.schoolId)
  const stored = await db.transaction((tx) =>
    setPassword(tx, {
      userId: person.id,
      email: person.email,
      hash,
      replaces: credential.hash,
      by: 'short_password',
      endsAccess: false,
      requestId: request.requestId,
    }),
  )
  if (!stored) return { kind: 'expired' }
  return {
    kind: 'replaced',
    person,
    credential: { kind: 'password', hash },
    methods,
  }
}
