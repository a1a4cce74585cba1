import type {
  MemberRegistration,
  RegisteredEvent,
} from '../../../domain/events/registrations-of-member.ts'
import type { Builder, Ref } from '../builder.ts'
import { LONG_TEXT } from '../documents/prices.ts'
import { defineEnum } from './enums.ts'
import type { Signposts } from './signposts.ts'

export function defineEventRegistration(
  builder: Builder,
  signposts: Signposts,
): Ref<MemberRegistration> {
  const event = defineEvent(builder)
  const state = defineEnum<MemberRegistration['state']>(
    builder,
    'EventRegistrationState',
    'State of a registration. Canceled ones are not listed.',
    { registered: 'The viewer has a place.', attended: 'The viewer was there.' },
  )
  return builder.objectRef<MemberRegistration>('EventRegistration').implement({
    description: `A place of the viewer at an event. ${signposts.billing}`,
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the registration.' }),
      state: t.expose('state', { type: state, description: 'State of the registration.' }),
      registeredAt: t.expose('registeredAt', {
        type: 'UnixTime',
        description: 'When the viewer registered.',
      }),
      event: t.expose('event', { type: event, description: 'The event itself.' }),
    }),
  })
}

function defineEvent(builder: Builder): Ref<RegisteredEvent> {
  const state = defineEnum<RegisteredEvent['state']>(
    builder,
    'EventState',
    'Whether an event takes place.',
    {
      draft: 'Not published, or no longer.',
      published: 'It takes place.',
      canceled: 'It was canceled; registrations for it stay in the list.',
    },
  )
  return builder.objectRef<RegisteredEvent>('Event').implement({
    description: 'A gathering with a start and an end, at a place or online.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the event.' }),
      slug: t.exposeString('slug', {
        description: 'Short name of the event, unique at its school.',
      }),
      title: t.exposeString('title', { description: 'Title of the event.' }),
      description: t.exposeString('description', {
        description: 'What it is about, in Markdown without HTML.',
        extensions: LONG_TEXT,
      }),
      state: t.expose('state', { type: state, description: 'Whether it takes place.' }),
      startsAt: t.expose('startsAt', { type: 'UnixTime', description: 'When it begins.' }),
      endsAt: t.expose('endsAt', { type: 'UnixTime', description: 'When it ends.' }),
      location: t.exposeString('location', {
        description: 'Where it is; empty if it is online only.',
      }),
      onlineUrl: t.exposeString('onlineUrl', {
        nullable: true,
        description: 'Where to join online; null if that is not possible.',
      }),
    }),
  })
}
