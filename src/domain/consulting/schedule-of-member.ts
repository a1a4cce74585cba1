import type { KeysetRange } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type MeetingState, type MemberMeeting, meetingsOf } from './meetings-of-member.ts'

export interface Schedule {
  readonly states: readonly MeetingState[]
  readonly now: Date
}

/** States of meetings that take place. */
export const TAKES_PLACE = ['available', 'scheduled'] as const satisfies readonly MeetingState[]

export const wholeSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/**
 * What has not ended, the next one first. A meeting that has begun stays until it ends: its room is needed now. `meetingsOf`
 * lists newest first.
 */
export async function meetingsToCome(
  at: SchoolDb,
  userId: string,
  { states, now }: Schedule,
  { after, limit }: Pick<KeysetRange, 'after' | 'limit'>,
): Promise<MemberMeeting[]> {
  const range = { before: after, limit, fromEnd: true }
  const rows = await meetingsOf(at, userId, { states, endedAfter: wholeSeconds(now) }, range)
  return rows.reverse()
}

export async function pastMeetings(
  at: SchoolDb,
  userId: string,
  { states, now }: Schedule,
  range: KeysetRange,
): Promise<MemberMeeting[]> {
  return await meetingsOf(at, userId, { states, endedBefore: wholeSeconds(now) }, range)
}
