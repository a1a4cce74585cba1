import { sendInvitation } from '../../../../../domain/people/invitations/invitation-operations.ts'
import type { Action, Fact } from '../resource.ts'
import { moment } from '../views/cells.tsx'

interface Arriving {
  readonly invited_at: string | null
  readonly invitation_opened_at: string | null
  readonly first_signed_in_at: string | null
}

/** How far a person has come: invited, opened, signed in. */
export const arrival: readonly Fact<Arriving>[] = [
  { label: 'Invited', show: moment('invited_at') },
  { label: 'Invitation opened', show: moment('invitation_opened_at') },
  { label: 'First signed in', show: moment('first_signed_in_at') },
]

export const inviting: readonly Action<Arriving>[] = [
  {
    path: 'invite',
    label: 'Send invitation',
    does: sendInvitation,
    question: 'Send an invitation?',
    consequence:
      'They get an email with a link to choose a password, or to sign in if they have an account. The link works for seven days.',
    done: 'The invitation is on its way.',
    when: ({ first_signed_in_at }) => first_signed_in_at === null,
  },
]
