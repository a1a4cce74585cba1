import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { acrossSchools } from '../../foundation/db/school-db.ts'
import { ROLES } from '../actor/actor.ts'
import { id } from '../operation/fields.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/writing.ts'
import { cancelDeletionsOf } from './deletion/deletion-requests.ts'
import { endNoticeLinks, stopPendingChanges } from './email-change/store-email.ts'
import { keepFactors } from './factors/lost-factors.ts'
import { addedPerson } from './member-operations.ts'
import { addMember, changeRoles } from './member-roles.ts'
import { rolesAt } from './membership.ts'
import { loadPerson } from './person.ts'
import { removeRecentAuthenticator, removeRecentPasskeys } from './remove-recent-credentials.ts'
import { setPassword, storePassword } from './set-password.ts'

const roles = z.array(z.enum(ROLES))

export const addPerson = unscopedWrite({
  name: 'people.add',
  title: 'Add a person',
  summary:
    'Adds roles at this school to the person with this email. A new account may get a password.',
  kind: 'create',
  input: z.strictObject({
    ...addedPerson,
    roles: roles.min(1),
    password_hash: z.string().optional(),
  }),
  output: z.strictObject({ id }),
  async run(tx, actor, { password_hash: passwordHash, ...fresh }) {
    return { id: await addMember(tx, { ...fresh, passwordHash }, actor) }
  },
  // addMember writes the entries, also for members.create and students.create.
  audit: () => [],
})

/**
 * For the command line alone: a school could otherwise take over the accounts of its members at
 * other schools.
 */
export const setPersonPassword = unscopedWrite({
  name: 'people.set_password',
  title: 'Set the password of a person',
  summary:
    'Sets the password of a member, and ends all their sessions and connected apps everywhere.',
  kind: 'change',
  input: z.strictObject({ id, password_hash: z.string() }),
  output: z.strictObject({ id }),
  async run(tx, _actor, { id: userId, password_hash: hash }) {
    const { email } = await loadPerson(acrossSchools(tx), userId)
    if ((await rolesAt(tx, userId)).length === 0) throw notFound('member')
    await setPassword(tx, { userId, email, hash, by: 'command_line', endsAccess: true })
    return { id: userId }
  },
  // setPassword writes the entry, also for the pages.
  audit: () => [],
})

export const setPersonRoles = unscopedWrite({
  name: 'people.set_roles',
  title: 'Set the roles of a person',
  summary: 'Replaces the roles of a member here; an empty list makes the person leave.',
  kind: 'change',
  input: z.strictObject({ id, roles }),
  output: z.strictObject({ id, before: roles }),
  async run(tx, actor, { id: userId, roles: wanted }) {
    return { id: userId, before: await changeRoles(tx, userId, wanted, actor) }
  },
  // changeRoles writes the entry, also for members.change.
  audit: () => [],
})

export interface EndedPerson {
  readonly userId: string
  readonly email: string
  /** Of a password that no person knows. */
  readonly hash: string
  readonly by: 'not_me' | 'end_everything'
  readonly requestId?: string | undefined
}

/**
 * Crosses schools: ends what another person may hold of an account. Sessions, apps, pending codes
 * and remembered browsers end everywhere, the password stops working, and what was added lately as
 * a way to sign in is removed. The person gets a mail with a link to choose a new password. Older
 * passkeys and authenticators stay: they are the person's own. False if the person is gone.
 */
export async function endEverything(tx: Transaction<DB>, ended: EndedPerson): Promise<boolean> {
  const { userId } = ended
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const stored = await storePassword(tx, { ...ended, endsAccess: true })
  if (!stored) return false
  await endNoticeLinks(tx, userId)
  await stopPendingChanges(tx, userId)
  await cancelDeletionsOf(tx, userId, ended)
  await keepFactors(tx, userId, ended.requestId)
  await removeRecentAuthenticator(tx, userId, ended)
  await removeRecentPasskeys(tx, userId, ended)
  return true
}

/**
 * Corrects the name that a school typed. Another school keeps what it typed, and the account keeps
 * its own name, which is the person's alone. The entry in the audit log has neither name, because
 * it stays when the person is forgotten.
 */
export const correctName = unscopedWrite({
  name: 'people.correct_name',
  title: 'Correct the name of a person',
  summary:
    'Changes the name that this school typed. It is shown here until the person signs in; then their own name is.',
  kind: 'change',
  input: z.strictObject({ id, name: addedPerson.name }),
  output: z.strictObject({ id }),
  async run(tx, _actor, { id: userId, name }) {
    // Naming joined_at makes the trigger count the version: who changes roles with an older page is
    // told.
    const { rows } = await tx.run(sql<{ signed_in: boolean }>`
      update school_members m set joined_at = m.joined_at,
        typed_name = case when m.signed_in_at is null then ${name.trim()} else m.typed_name end
      where m.school_id = ${tx.schoolId} and m.user_id = ${userId} and m.roles <> '{}'
      returning m.signed_in_at is not null as signed_in`)
    const [member] = rows
    if (member === undefined) throw notFound('member')
    if (member.signed_in) {
      throw conflict(
        'has_signed_in',
        'This person has signed in here, so their own name is shown. Only they can change it.',
      )
    }
    return { id: userId }
  },
  audit: ({ id: subject }) => [{ action: 'member.name_corrected', subject }],
})
