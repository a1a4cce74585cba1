import { pictureUrl } from '../../../domain/people/person.ts'
import type { Builder, Ref } from '../builder.ts'
import type { Viewer } from '../member-context.ts'

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
