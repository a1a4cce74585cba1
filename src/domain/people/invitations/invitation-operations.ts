import { z } from 'zod'
import { id } from '../../operation/fields.ts'
import { conflict, notFound } from '../../operation/refusal.ts'
import { unscopedWrite } from '../../operation/without-scope.ts'
import { INVITED_AGAIN_MINUTES, invite } from './invite.ts'

/** For people who are asked to come, so no app sends it: an app adds people, and the school decides whether they are invited. */
export const sendInvitation = unscopedWrite({
  name: 'people.invite',
  title: 'Send an invitation',
  summary:
    'Sends an email with a link to choose a password, or to sign in if the person has an account.',
  kind: 'change',
  queuesMail: 'always',
  input: z.strictObject({ id }),
  output: z.strictObject({ id }),
  async run(tx, actor, { id: userId }) {
    if (await invite(tx, userId, actor)) return { id: userId }
    const member = await tx
      .from('school_members')
      .select(['roles', 'signed_in_at'])
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (member === undefined || member.roles.length === 0) throw notFound('member')
    throw member.signed_in_at === null
      ? conflict(
          'invited_lately',
          `This person was invited less than ${INVITED_AGAIN_MINUTES} minutes ago. Wait before you send it again.`,
        )
      : conflict('has_signed_in', 'This person has signed in here. They need no invitation.')
  },
  // invite writes the entry, also for people who are added.
  audit: () => [],
})
