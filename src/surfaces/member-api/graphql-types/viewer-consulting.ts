import {
  attendeesOf,
  countMeetingsOf,
  type MeetingFilter,
  type MeetingKind,
  type MeetingState,
  type MemberMeeting,
  meetingsOf,
} from '../../../domain/consulting/meetings-of-member.ts'
import {
  countServicesFor,
  type OfferedService,
  RESERVED_PER_SERVICE,
  type ReservedMeeting,
  reservedMeetingsOf,
  servicesFor,
  slotsOfServices,
  type WeeklySlot,
} from '../../../domain/consulting/services-for-member.ts'
import { once } from '../../../foundation/cache/lru-cache.ts'
import type { Builder, MemberContext, Ref, Viewer } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import { LONG_TEXT, rowsOf } from '../documents/prices.ts'
import { defineEnum, type MeetingStateEnum, UNIX_TIME, type VariantWords } from './scalars.ts'

const MAXIMUM_SERVICES = 100
const MAXIMUM_MEETINGS = 50

export function addConsultingServices(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  meetingState: MeetingStateEnum,
  words: VariantWords,
): void {
  const service = defineConsultingService(builder, meetingState, words)
  const connection = defineConnection(
    builder,
    pageInfo,
    'ConsultingService',
    service,
    'consulting services',
  )
  builder.objectField(viewer, 'consultingServices', (t) =>
    t.field({
      type: connection,
      description: `The consulting services that are offered with the courses of enrolledCourses, courses whose access has ended included; newest first. Not a list of purchases, and not of "my bookings", ${words.bookings}.`,
      args: pageArgs(builder, MAXIMUM_SERVICES),
      extensions: pageSizes(MAXIMUM_SERVICES),
      resolve: ({ id }, args, context) =>
        openConnection(
          {
            name: 'consultingServices',
            maximum: MAXIMUM_SERVICES,
            read: async (range) =>
              serviceNodes(context, await servicesFor(context.schoolDb, id, range)),
            count: () => countServicesFor(context.schoolDb, id),
          },
          args,
        ),
    }),
  )
}

export function addConsultingMeetings(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  meetingState: MeetingStateEnum,
): void {
  const meeting = defineConsultingMeeting(builder, meetingState)
  const filter = defineMeetingFilter(builder, meetingState)
  const connection = defineConnection(builder, pageInfo, 'ConsultingMeeting', meeting, 'meetings')
  builder.objectField(viewer, 'consultingMeetings', (t) =>
    t.field({
      type: connection,
      description:
        'The meetings of the viewer: seats they booked and classes of their study groups, newest start first, canceled ones included unless filtered out. The next meeting, or the one that runs now, is the last of those that have not ended: ask for last: 1 with endedAfter.',
      args: {
        ...pageArgs(builder, MAXIMUM_MEETINGS),
        filter: t.arg({ type: filter, description: 'Which meetings to list; all if left out.' }),
      },
      extensions: pageSizes(MAXIMUM_MEETINGS),
      resolve: ({ id }, { filter: wanted, ...args }, context) => {
        const only = meetingFilter(wanted)
        return openConnection(
          {
            name: 'consultingMeetings',
            maximum: MAXIMUM_MEETINGS,
            read: async (range) =>
              meetingNodes(context, await meetingsOf(context.schoolDb, id, only, range)),
            count: () => countMeetingsOf(context.schoolDb, id, only),
          },
          args,
        )
      },
    }),
  )
}

export interface MeetingNode extends MemberMeeting {
  readonly attendeesCount: () => Promise<number>
}

/**
 * The meetings of one page. The first that is asked for its attendees counts them for all of them.
 */
function meetingNodes(context: MemberContext, meetings: MemberMeeting[]): MeetingNode[] {
  const ids = meetings.map(({ id }) => id)
  const attendees = once(() => attendeesOf(context.schoolDb, ids))
  return meetings.map((meeting) => ({
    attendeesCount: async () => (await attendees()).get(meeting.id) ?? 0,
    ...meeting,
  }))
}

function defineConsultingMeeting(
  builder: Builder,
  meetingState: MeetingStateEnum,
): Ref<MeetingNode> {
  const kind = defineEnum<MeetingKind>(
    builder,
    'ConsultingMeetingKind',
    'Why a meeting is the viewer’s.',
    {
      consulting: 'A slot of a consulting service on which the viewer took a seat.',
      study_group: 'A class of a study group that the viewer belongs to.',
    },
  )
  return builder.objectRef<MeetingNode>('ConsultingMeeting').implement({
    description: 'A meeting of the viewer: a seat they booked, or a class of one of their groups.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the meeting.' }),
      title: t.exposeString('title', { description: 'Title of the meeting.' }),
      kind: t.expose('kind', { type: kind, description: 'Why it is the viewer’s.' }),
      state: t.expose('state', { type: meetingState, description: 'State of the meeting.' }),
      startedAt: t.expose('startedAt', {
        type: 'UnixTime',
        description: 'When it starts or started.',
      }),
      endedAt: t.expose('endedAt', { type: 'UnixTime', description: 'When it ends or ended.' }),
      roomUrl: t.exposeString('roomUrl', {
        description:
          'Where to join. An empty string once the meeting has ended or was canceled, and as long as no room is known.',
      }),
      attendeesCount: t.int({
        description:
          'How many attend: the seats taken on a slot, or the roster of a study group. The same for every viewer.',
        resolve: (meeting) => meeting.attendeesCount(),
      }),
    }),
  })
}

interface FilterInput {
  startedAfter?: number | null | undefined
  startedBefore?: number | null | undefined
  endedAfter?: number | null | undefined
  endedBefore?: number | null | undefined
  state?: readonly MeetingState[] | null | undefined
}

function defineMeetingFilter(builder: Builder, meetingState: MeetingStateEnum) {
  return builder.inputType('ConsultingMeetingFilter', {
    description:
      'Which meetings to list; all conditions must hold, and one that is null or left out holds always. The upcoming schedule is endedAfter now with the states available and scheduled, so a meeting that runs now is in it; history is endedBefore now.',
    fields: (t) => ({
      startedAfter: t.field({
        type: UNIX_TIME,
        description: 'Only meetings that start at this second or later.',
      }),
      startedBefore: t.field({
        type: UNIX_TIME,
        description: 'Only meetings that start before this second.',
      }),
      endedAfter: t.field({
        type: UNIX_TIME,
        description: 'Only meetings that end at this second or later.',
      }),
      endedBefore: t.field({
        type: UNIX_TIME,
        description: 'Only meetings that end before this second.',
      }),
      state: t.field({
        type: [meetingState],
        description: 'Only meetings in one of these states.',
      }),
    }),
  })
}

function meetingFilter(input: FilterInput | null | undefined): MeetingFilter {
  return {
    startedAfter: input?.startedAfter ?? undefined,
    startedBefore: input?.startedBefore ?? undefined,
    endedAfter: input?.endedAfter ?? undefined,
    endedBefore: input?.endedBefore ?? undefined,
    states: input?.state ?? undefined,
  }
}

export interface ServiceNode extends OfferedService {
  readonly slots: () => Promise<WeeklySlot[]>
  readonly meetings: () => Promise<ReservedMeeting[]>
}

/** The services of one page. The first that is asked for its calendar reads it for all of them. */
function serviceNodes(context: MemberContext, services: OfferedService[]): ServiceNode[] {
  const ids = services.map(({ id }) => id)
  const slots = once(() => context.meter.read(() => slotsOfServices(context.schoolDb, ids), rowsOf))
  const meetings = once(() =>
    context.meter.read(() => reservedMeetingsOf(context.schoolDb, ids), rowsOf),
  )
  return services.map((service) => ({
    slots: async () => (await slots()).get(service.id) ?? [],
    meetings: async () => (await meetings()).get(service.id) ?? [],
    ...service,
  }))
}

function defineConsultingService(
  builder: Builder,
  meetingState: MeetingStateEnum,
  words: VariantWords,
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
        description: `Meetings that any member has reserved on this service, newest start first, the latest ${RESERVED_PER_SERVICE}, past and canceled ones included. Nothing marks which of them are the viewer’s: never show them as "my bookings", ${words.bookings}.`,
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
