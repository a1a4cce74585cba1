import {
  type OfferedService,
  RESERVED_PER_SERVICE,
  type ReservedMeeting,
  reservedMeetingsOf,
  slotsOfServices,
  type WeeklySlot,
} from '../../../domain/consulting/services-for-member.ts'
import { once } from '../../../foundation/cache/lru-cache.ts'
import type { Builder, Ref } from '../builder.ts'
import { LONG_TEXT, rowsOf } from '../documents/prices.ts'
import type { MemberContext } from '../member-context.ts'
import type { MeetingStateEnum } from './meeting-state.ts'
import type { Signposts } from './signposts.ts'

export interface ServiceNode extends OfferedService {
  readonly slots: () => Promise<WeeklySlot[]>
  readonly meetings: () => Promise<ReservedMeeting[]>
}

/** The services of one page. The first that is asked for its calendar reads it for all of them. */
export function serviceNodes(context: MemberContext, services: OfferedService[]): ServiceNode[] {
  const ids = services.map(({ id }) => id)
  const slots = once(() => context.meter.read(() => slotsOfServices(context.at, ids), rowsOf))
  const meetings = once(() => context.meter.read(() => reservedMeetingsOf(context.at, ids), rowsOf))
  return services.map((service) => ({
    slots: async () => (await slots()).get(service.id) ?? [],
    meetings: async () => (await meetings()).get(service.id) ?? [],
    ...service,
  }))
}

export function defineConsultingService(
  builder: Builder,
  meetingState: MeetingStateEnum,
  signposts: Signposts,
): Ref<ServiceNode> {
  const slot = defineConsultingSlot(builder)
  const reserved = defineReservedMeeting(builder, meetingState)
  return builder.objectRef<ServiceNode>('ConsultingService').implement({
    description:
      'Time with a consultant, offered to the viewer because of one of their courses. It is an offer, not a purchase and not a booking.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the service.' }),
      title: t.exposeString('title', { description: 'Title of the service.' }),
      description: t.exposeString('description', {
        description: 'What it is, in Markdown without HTML.',
        extensions: LONG_TEXT,
      }),
      slots: t.field({
        type: [slot],
        description: 'The availability that recurs every week.',
        extensions: { usualLength: 10 },
        resolve: (service) => service.slots(),
      }),
      meetings: t.field({
        type: [reserved],
        description: `Meetings that any member has reserved on this service, newest start first, the latest ${RESERVED_PER_SERVICE}, past and canceled ones included. Nothing marks which of them are the viewer’s: never show them as "my bookings", ${signposts.bookings}.`,
        extensions: { usualLength: 50 },
        resolve: (service) => service.meetings(),
      }),
    }),
  })
}

function defineConsultingSlot(builder: Builder): Ref<WeeklySlot> {
  return builder.objectRef<WeeklySlot>('ConsultingSlot').implement({
    description: 'A time of the week at which a service can be booked.',
    fields: (t) => ({
      weekday: t.exposeInt('weekday', { description: 'Day of the week, 1 for Monday to 7.' }),
      startsAt: t.exposeString('startsAt', {
        description: 'Time of day in timeZone, as hours and minutes such as 09:30.',
      }),
      durationMinutes: t.exposeInt('durationMinutes', { description: 'Length in minutes.' }),
      timeZone: t.exposeString('timeZone', {
        description: 'Name of the time zone, such as Asia/Taipei.',
      }),
      capacity: t.exposeInt('capacity', { description: 'How many can book the same meeting.' }),
    }),
  })
}

function defineReservedMeeting(
  builder: Builder,
  meetingState: MeetingStateEnum,
): Ref<ReservedMeeting> {
  return builder.objectRef<ReservedMeeting>('ReservedMeeting').implement({
    description:
      'A reserved meeting on a service, to show which times are taken: those that are not canceled. It does not say who reserved it.',
    fields: (t) => ({
      startedAt: t.expose('startedAt', { type: 'UnixTime', description: 'When it starts.' }),
      endedAt: t.expose('endedAt', { type: 'UnixTime', description: 'When it ends.' }),
      state: t.expose('state', { type: meetingState, description: 'State of the meeting.' }),
    }),
  })
}
