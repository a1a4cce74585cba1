import { sql } from 'kysely'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { FORMER_MEMBER, shownPeople } from '../shown-person.ts'
import type { MailContent } from './mail-contents.ts'
import type { FactsOf } from './queued-kinds.ts'

/** Names people as the school sees them. */
export async function decideOperatorsMail({
  at,
  facts: { by, people, more },
}: {
  readonly at: SchoolDb
  readonly facts: FactsOf<'operators_changed'>
}): Promise<MailContent> {
  const ids = [...people.map(({ id }) => id), ...(by === null ? [] : [by])]
  const { rows } = await at.run(sql<{ id: string; name: string }>`
    select p.id, p.name from ${shownPeople(at)} p where p.id = any (${ids}::uuid[])`)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  const nameOf = (id: string) => names.get(id) ?? FORMER_MEMBER
  return {
    kind: 'operators_changed',
    by: by === null ? undefined : nameOf(by),
    people: people.map(({ id, given, taken }) => ({ name: nameOf(id), given, taken })),
    more,
  }
}
