import { z } from 'zod'
import { SETTINGS_PATH } from '../link-paths.ts'
import { findNamedSchool } from '../mail-recipient.ts'
import { defineMail, HOUR } from './define-mail.ts'
import { button, dayInWords, paragraph, placeName, schoolUrl, whySender } from './mail-words.ts'

/* About the deletion that a person asked for. */

const deletedFacts = z.strictObject({ part: z.enum(['school', 'account']) })

export const deletionRequestedMail = defineMail({
  kind: 'deletion_requested',
  facts: deletedFacts.extend({ due_at: z.iso.datetime(), place: z.uuid().optional() }),
  keepMinutes: 24 * HOUR,
  to: 'member',
  async write({ db, school, facts }) {
    const { part } = facts
    const place = await findNamedSchool(db, facts.place ?? db.schoolId)
    const day = dayInWords(new Date(facts.due_at), school.timeZone)
    return {
      subject:
        part === 'account' ? 'Your account will be deleted' : `${school.name} will forget you`,
      blocks: [
        paragraph(
          part === 'account'
            ? `At ${placeName(place)} you asked to delete your whole account, at all your schools.`
            : `You asked to delete what ${school.name} knows of you.`,
          `It will be done on ${day}. Until then you can change your mind.`,
        ),
        button('See it or cancel it', schoolUrl(school.origin, SETTINGS_PATH)),
        paragraph(
          'If that was not you, cancel it there and change your password at once.',
          ...whySender(school, place),
        ),
      ],
    }
  },
})

/**
 * There is no account with this address any more, or the person has no role here. Only the server
 * queues it.
 */
export const deletedMail = defineMail({
  kind: 'deleted',
  facts: deletedFacts,
  keepMinutes: 24 * HOUR,
  to: 'address',
  write: async ({ school, facts: { part } }) => ({
    subject: part === 'account' ? 'Your account was deleted' : `${school.name} has forgotten you`,
    blocks: [
      paragraph(
        part === 'account'
          ? 'As you asked, your account was deleted, at all your schools.'
          : `As you asked, ${school.name} deleted what it knew of you.`,
        'Orders, payments and invoices stay in the books, without your name.',
      ),
    ],
  }),
})
