import type { Role } from '../../../domain/actor/actor.ts'
import type { SchoolOfPerson } from '../../../domain/people/membership.ts'
import type { Builder, Ref } from '../builder.ts'
import { defineEnum } from './enums.ts'

export function defineSchool(builder: Builder): Ref<SchoolOfPerson> {
  const role = defineEnum<Role>(builder, 'Role', 'What a person is at a school.', {
    owner: 'Owns the school.',
    admin: 'Runs the school for its owner.',
    lecturer: 'Teaches there.',
    student: 'Learns there.',
  })
  return builder.objectRef<SchoolOfPerson>('School').implement({
    description:
      'A school where the viewer holds a role. A token reads data of the school it was issued at alone; for another one, authorize at its url.',
    fields: (t) => ({
      id: t.exposeID('id', {
        description: 'Id of the school; the same as school_id of token responses.',
      }),
      name: t.exposeString('name', { description: 'Name of the school.' }),
      subdomain: t.exposeString('subdomain', {
        description: 'Short name of the school; the same as school_subdomain of token responses.',
      }),
      url: t.exposeString('origin', {
        description: 'Origin of the school, without a trailing slash: what to send as resource.',
      }),
      roles: t.field({
        type: [role],
        description: 'The roles that the viewer holds there.',
        resolve: (school) => [...school.roles],
      }),
    }),
  })
}
