import { countMeetingsOf, meetingsOf } from '../../../domain/consulting/meetings-of-member.ts'
import { countServicesFor, servicesFor } from '../../../domain/consulting/services-for-member.ts'
import type { Builder, Ref } from '../builder.ts'
import { openConnection, type PageInfo } from '../connections/connection.ts'
import { defineConnection, pageArgs, pageSizes } from '../connections/define-connection.ts'
import type { Viewer } from '../member-context.ts'
import {
  defineConsultingMeeting,
  defineMeetingFilter,
  meetingFilter,
  meetingNodes,
} from './consulting-meeting.ts'
import { defineConsultingService, serviceNodes } from './consulting-service.ts'
import type { MeetingStateEnum } from './meeting-state.ts'
import type { Signposts } from './signposts.ts'

const MAXIMUM_SERVICES = 100
const MAXIMUM_MEETINGS = 50

export function addConsultingServices(
  builder: Builder,
  viewer: Ref<Viewer>,
  pageInfo: Ref<PageInfo>,
  meetingState: MeetingStateEnum,
  signposts: Signposts,
): void {
  const service = defineConsultingService(builder, meetingState, signposts)
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
      description: `The consulting services that are offered with the courses of enrolledCourses, courses whose access has ended included; newest first. Not a list of purchases, and not of "my bookings", ${signposts.bookings}.`,
      args: pageArgs(builder, MAXIMUM_SERVICES),
      extensions: pageSizes(MAXIMUM_SERVICES),
      resolve: ({ id }, args, context) =>
        openConnection(
          {
            name: 'consultingServices',
            maximum: MAXIMUM_SERVICES,
            read: async (range) => serviceNodes(context, await servicesFor(context.at, id, range)),
            count: () => countServicesFor(context.at, id),
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
              meetingNodes(context, await meetingsOf(context.at, id, only, range)),
            count: () => countMeetingsOf(context.at, id, only),
          },
          args,
        )
      },
    }),
  )
}
