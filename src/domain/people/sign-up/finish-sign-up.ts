import { hashPassword } from '../../../foundation/crypto/password.ts'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../../foundation/db/school-db.ts'
import { recordCreated } from '../../audit/audit.ts'
import { claimAccount } from '../claim-account.ts'
import { isKept, lockAddresses } from '../email-change/email-change.ts'
import {
  findPasswordProblem,
  type PasswordContext,
  type PasswordProblem,
} from '../password-rule.ts'
import { findOrCreatePerson, loadPerson } from '../person.ts'
import type { ProvenPerson } from '../sessions.ts'
import { joinAsStudent } from './join-school.ts'
import type { SignUpLink } from './sign-up-link.ts'

export type SignUpOutcome =
  | ({ readonly kind: 'signed_up' } & ProvenPerson)
  /** There is an account with a password by now, or one had this address until a few days ago. */
  | { readonly kind: 'known' }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

interface SignUp {
  readonly link: SignUpLink
  /** As it was typed last. */
  readonly name: string
  readonly next: string
  readonly school: PasswordContext['school']
  readonly requestId: string
}

/**
 * Makes the account of a person who opened the link in their mailbox, and their role here. An account that a school made
 * for this email, and that has no credential yet, becomes theirs, with the name that they typed. Any other account
 * stays untouched: the reader of a mailbox must not get into it here.
 */
export async function finishSignUp(at: SchoolDb, signUp: SignUp): Promise<SignUpOutcome> {
  const { link, name, next, school } = signUp
  const problem = await findPasswordProblem(next, { email: link.email, name, school })
  if (problem !== undefined) return { kind: 'unfit', problem }
  const hash = await hashPassword(next, at.schoolId)
  return await at.transaction(async (tx) => {
    const userId = await makeAccount(tx, signUp, hash)
    if (userId === undefined) return { kind: 'known' }
    await joinAsStudent(tx, userId, { proof: 'mail_link', requestId: signUp.requestId })
    return {
      kind: 'signed_up',
      person: await loadPerson(acrossSchools(tx), userId),
      credential: { kind: 'password', hash },
      methods: ['password'],
    }
  })
}

/** Undefined if there is an account that a person can sign in to, or one that can still take the address back. */
async function makeAccount(
  tx: SchoolTx,
  { link: { email }, name, requestId }: SignUp,
  passwordHash: string,
): Promise<string | undefined> {
  const db = acrossSchools(tx)
  await lockAddresses(db, email)
  if (await isKept(db, email)) return undefined
  const { id, isNew } = await findOrCreatePerson(db, { email, name, passwordHash })
  if (isNew) {
    const entry = { action: 'person.created', outcome: 'ok', detail: { via: 'sign_up' } } as const
    await recordCreated(db, { ...entry, requestId }, [id])
    return id
  }
  const claim = { userId: id, name, email, hash: passwordHash, by: 'sign_up', requestId } as const
  return (await claimAccount(tx, claim)) ? id : undefined
}
