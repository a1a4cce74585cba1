import {
  attendeesOf,
  type MeetingFilter,
  type MeetingKind,
  type MeetingState,
  type MemberMeeting,
} from '../../../domain/consulting/meetings-of-member.ts'
import { once } from '../../../foundation/cache/lru-cache.ts'
import type { Builder, Ref } from '../builder.ts'
import type { MemberContext } from '../member-context.ts'
import { defineEnum } from './enums.ts'
import type { MeetingStateEnum } from './meeting-state.ts'
import { UNIX_TIME } from './scalars.ts'

export interface MeetingNode extends MemberMeeting {
  readonly attendeesCount: () => Promise<number>
}

/** The meetings of one page. The first that is asked for its attendees counts them for all of them. */
export function meetingNodes(context: MemberContext, meetings: MemberMeeting[]): MeetingNode[] {
  const ids = meetings.map(({ id }) => id)
  const attendees = once(() => attendeesOf(context.at, ids))
  return meetings.map((meeting) => ({
    attendeesCount: async () => (await attendees()).get(meeting.id) ?? 0,
    ...meeting,
  }))
}

export function defineConsultingMeeting(
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

export function defineMeetingFilter(builder: Builder, meetingState: MeetingStateEnum) {
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

export function meetingFilter(input: FilterInput | null | undefined): MeetingFilter {
  return {
    startedAfter: input?.startedAfter ?? undefined,
    startedBefore: input?.startedBefore ?? undefined,
    endedAfter: input?.endedAfter ?? undefined,
    endedBefore: input?.endedBefore ?? undefined,
    states: input?.state ?? undefined,
  }
}
