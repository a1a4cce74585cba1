import { sql } from 'kysely'
import { z } from 'zod'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { OPERATOR_ROLES } from '../../actor/actor.ts'
import { FORMER_MEMBER, shownPeople } from '../../actor/shown-person.ts'
import { defineMail, HOUR } from './define-mail.ts'
import { button, paragraph, schoolUrl } from './mail-words.ts'

const roles = z.array(z.enum(OPERATOR_ROLES))

const facts = z.strictObject({
  /** Who did it; null on the command line. */
  by: z.uuid().nullable(),
  people: z.array(z.strictObject({ id: z.uuid(), given: roles, taken: roles })),
  /** How many further people an import changed. */
  more: z.int(),
})
export type OperatorsChanged = z.output<typeof facts>

const GIVEN = { owner: 'is now an owner.', admin: 'is now an admin.' }
const TAKEN = { owner: 'is no longer an owner.', admin: 'is no longer an admin.' }

/**
 * News for the owners of a school about those who run it. It names people as the school sees them.
 */
export const operatorsMail = defineMail({
  kind: 'operators_changed',
  facts,
  keepMinutes: 24 * HOUR,
  to: 'signed_in',
  async write({ db, school, facts: { by, people, more } }) {
    const ids = [...people.map(({ id }) => id), ...(by === null ? [] : [by])]
    const { rows } = await db.run(sql<{ id: string; name: string }>`
      select p.id, p.name from ${shownPeople(db)} p where p.id = any (${ids}::uuid[])`)
    const names = new Map(rows.map(({ id, name }) => [id, plainText(name)]))
    const nameOf = (id: string, unnamed: string) => (names.get(id) ?? FORMER_MEMBER) || unnamed
    return {
      subject: `Owners and admins of ${school.name} have changed`,
      blocks: [
        ...people.map(({ id, given, taken }) => {
          const name = nameOf(id, 'A person without a name')
          const news = [...given.map((role) => GIVEN[role]), ...taken.map((role) => TAKEN[role])]
          return paragraph(...news.map((words) => `${name} ${words}`))
        }),
        ...(more === 0 ? [] : [paragraph(`The same change concerned ${more} more people.`)]),
        paragraph(
          by === null
            ? 'The administrator of this server did it.'
            : `It was done by ${nameOf(by, 'a person without a name')}.`,
        ),
        button('See the members', schoolUrl(school.origin, '/admin/members')),
        paragraph(
          'If you did not expect this, take the role away there, and stop the apps that you do not know.',
        ),
      ],
    }
  },
})
