import { sendInvitation } from '../../../../../domain/people/invitations.ts'
import { correctName } from '../../../../../domain/people/person-operations.ts'
import { asking } from '../field.ts'
import type { Action, Fact } from '../resource.ts'
import { moment } from '../views/cells.tsx'

interface Arriving {
  readonly name: string
  readonly invited_at: string | null
  readonly invitation_opened_at: string | null
  readonly first_signed_in_at: string | null
}

const NOT_SENT = 'Not sent yet. They got no email about this school.'

/** How far a person has come: invited, opened, signed in. */
export const arrival: readonly Fact<Arriving>[] = [
  {
    label: 'Invitation',
    show: (person) => (person.invited_at === null && isToCome(person) ? NOT_SENT : undefined),
  },
  { label: 'Invited', show: moment('invited_at') },
  { label: 'Invitation opened', show: moment('invitation_opened_at') },
  { label: 'First signed in', show: moment('first_signed_in_at') },
]

const nameOf = ({ name }: Arriving) => name
const isToCome = ({ first_signed_in_at }: Arriving) => first_signed_in_at === null

/** What a school does for people who have not signed in yet. */
export const beforeArrival: readonly Action<Arriving>[] = [
  {
    path: 'name',
    label: 'Correct name',
    does: asking(correctName, [{ name: 'name', label: 'Name', startsAs: nameOf }]),
    question: 'Correct the name?',
    done: 'The name is corrected.',
    when: isToCome,
  },
  {
    path: 'invite',
    label: 'Send invitation',
    labelFor: ({ invited_at }) => (invited_at === null ? undefined : 'Send invitation again'),
    does: sendInvitation,
    question: 'Send an invitation?',
    consequence:
      'They get an email with a link to choose a password, or to sign in if they have an account. The link works for seven days.',
    consequenceOfMany:
      'Each of them gets an email with a link to choose a password, or to sign in if they have an account. The links work for seven days.',
    done: 'The invitation is on its way.',
    when: isToCome,
  },
]
