import type { MeetingState } from '../../../domain/consulting/meetings-of-member.ts'
import type { Builder } from '../builder.ts'
import { defineEnum } from './enums.ts'

export type MeetingStateEnum = ReturnType<typeof defineMeetingState>

export function defineMeetingState(builder: Builder) {
  return defineEnum<MeetingState>(
    builder,
    'ConsultingMeetingState',
    'State of a meeting. Reserving a slot takes a seat but confirms nothing.',
    {
      available:
        'Not confirmed by staff. A slot that a member reserved stays so, and so do the classes of study groups.',
      scheduled: 'Confirmed by staff.',
      canceled:
        'Canceled. It stays in the list of the member who booked it; filter by state to leave it out.',
    },
  )
}
