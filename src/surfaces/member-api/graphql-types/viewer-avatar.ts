import { type Person, pictureUrl } from '../../../domain/people/person.ts'
import type { Builder, Ref } from '../builder.ts'

export function addAvatar(builder: Builder, viewer: Ref<Person>): void {
  builder.objectField(viewer, 'avatar', (t) =>
    t.string({
      nullable: true,
      description: 'URL of the picture of the person; null if there is none.',
      resolve: ({ avatarUrl }, _args, { school }) => pictureUrl(avatarUrl, school.origin) ?? null,
    }),
  )
}
