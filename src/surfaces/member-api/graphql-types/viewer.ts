import type { SchoolOfPerson } from '../../../domain/people/membership.ts'
import { schoolsOfPerson } from '../../../domain/people/membership.ts'
import type { Person } from '../../../domain/people/person.ts'
import type { Builder, Ref } from '../builder.ts'

export function defineViewer(builder: Builder, school: Ref<SchoolOfPerson>): Ref<Person> {
  return builder.objectRef<Person>('Viewer').implement({
    description:
      'The member who authorized the token: a person with a role at the school that was called. Everything below is theirs, at that school.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the person; the same as sub of UserInfo.' }),
      name: t.exposeString('name', { description: 'Name of the person.' }),
      email: t.exposeString('email', { description: 'Email address of the person.' }),
      schools: t.field({
        type: [school],
        description:
          'Every school where the person holds a role, the one that was called included.',
        extensions: { usualLength: 3 },
        resolve: async (person, _args, { db }) => [...(await schoolsOfPerson(db, person.id))],
      }),
    }),
  })
}
