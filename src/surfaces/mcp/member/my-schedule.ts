import { z } from 'zod'
import {
  attendeesOf,
  MEETING_KINDS,
  MEETING_STATES,
  meetingsToCome,
  pastMeetings,
  wholeSeconds,
} from '../../../domain/consulting/meetings-of-member.ts'
import { nextCursor, pageInput, readPage } from '../paging.ts'
import { onNewerOrigins, READS, scopedTool } from '../tool.ts'
import { time } from '../wire-values.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

const meeting = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.enum(MEETING_KINDS),
  state: z.enum(MEETING_STATES),
  startedAt: time,
  endedAt: time,
  roomUrl: z.string().describe('where to join; empty once it is over or canceled'),
  attendeesCount: z.number().int().describe('how many members attend'),
})

export const mySchedule = scopedTool({
  name: 'my_schedule',
  title: 'My schedule',
  description:
    'The meetings of the signed-in person, booked seats and classes of their study groups: those that have not ended, the next or running one first, or past ones, the latest first. Reads only; booking is not possible here.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'bookings',
  existsAt: onNewerOrigins,
  input: z.strictObject({
    when: z.enum(['to_come', 'past']).default('to_come'),
    includeCanceled: z.boolean().default(false),
    ...pageInput,
  }),
  output: z.object({ meetings: z.array(meeting), nextCursor, graphql: graphqlLink }),
  run: async (call, { when, includeCanceled, ...page }) => {
    const states = MEETING_STATES.filter((state) => includeCanceled || state !== 'canceled')
    const now = new Date()
    const read = when === 'to_come' ? meetingsToCome : pastMeetings
    const found = await readPage(`my_schedule ${when}`, page, (range) =>
      read(call.at, call.caller.person.id, { states, now }, range),
    )
    const attendees = await attendeesOf(
      call.at,
      found.rows.map(({ id }) => id),
    )
    const side = when === 'to_come' ? 'endedAfter' : 'endedBefore'
    const query = `{ viewer { consultingMeetings(filter: { ${side}: ${wholeSeconds(now)}, state: [${states.join(', ')}] }, ${when === 'to_come' ? 'last' : 'first'}: ${page.limit}) { nodes { id title kind state startedAt endedAt roomUrl attendeesCount } } } }`
    const items = found.rows.map((row) => ({
      id: row.id,
      title: row.title,
      kind: row.kind,
      state: row.state,
      startedAt: row.startedAt.toISOString(),
      endedAt: row.endedAt.toISOString(),
      roomUrl: row.roomUrl,
      attendeesCount: attendees.get(row.id) ?? 0,
    }))
    const graphql = linkTo(call.school, query)
    return found.answer(items, (meetings, nextCursor) => ({ meetings, nextCursor, graphql }))
  },
})
