import type { Role } from '../../../domain/actor/actor.ts'
import { type SchoolOfPerson, schoolsOfPerson } from '../../../domain/people/membership.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import type { Builder, Ref, Viewer } from '../builder.ts'
import { defineEnum } from './scalars.ts'

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

export function addAvatar(builder: Builder, viewer: Ref<Viewer>): void {
  builder.objectField(viewer, 'avatar', (t) =>
    t.string({
      nullable: true,
      description: 'URL of the picture of the person; null if there is none.',
      resolve: async (_viewer, _args, { profile, school }) =>
        pictureUrl((await profile()).avatarUrl, school.origin) ?? null,
    }),
  )
}

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
