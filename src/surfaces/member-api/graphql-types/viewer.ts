import { type SchoolOfPerson, schoolsOfPerson } from '../../../domain/people/membership.ts'
import type { Builder, Ref } from '../builder.ts'
import type { Viewer } from '../member-context.ts'

export function defineViewer(builder: Builder, school: Ref<SchoolOfPerson>): Ref<Viewer> {
  return builder.objectRef<Viewer>('Viewer').implement({
    description:
      'The member who authorized the token: a person with a role at the school that was called. Everything below is theirs, at that school.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the person; the same as sub of UserInfo.' }),
      name: t.string({
        description: 'Name of the person.',
        resolve: async (_viewer, _args, { profile }) => (await profile()).name,
      }),
      email: t.string({
        description: 'Email address of the person.',
        resolve: async (_viewer, _args, { profile }) => (await profile()).email,
      }),
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
