import { sql } from 'kysely'
import { z } from 'zod'
import { id } from '../operation/fields.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/without-scope.ts'
import { addedPerson } from './member-operations.ts'

/**
 * Corrects the name that a school typed. Another school keeps what it typed, and the account keeps its own name, which is the
 * person's alone. The entry in the audit log has neither name, because it stays when the person is forgotten.
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
    // Naming joined_at makes the trigger count the version: who changes roles with an older page is told.
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
