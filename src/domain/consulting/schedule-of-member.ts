import type { KeysetRange } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { type MeetingState, type MemberMeeting, meetingsOf } from './meetings-of-member.ts'

const DAY_SECONDS = 24 * 60 * 60

/** More than begin within a day. */
const MOST_OF_A_DAY = 50

export interface Schedule {
  readonly states: readonly MeetingState[]
  /** Unix seconds: what starts earlier is past. */
  readonly now: number
}

/** `meetingsOf` lists newest first; what is to come is shown with the next one first. */
export async function meetingsToCome(
  at: SchoolDb,
  userId: string,
  { states, now }: Schedule,
  { after, limit }: KeysetRange,
): Promise<MemberMeeting[]> {
  const range = { before: after, limit, fromEnd: true }
  const rows = await meetingsOf(at, userId, { states, startedAfter: now }, range)
  return rows.reverse()
}

export async function pastMeetings(
  at: SchoolDb,
  userId: string,
  { states, now }: Schedule,
  range: KeysetRange,
): Promise<MemberMeeting[]> {
  return await meetingsOf(at, userId, { states, startedBefore: now }, range)
}

/** The next meetings that take place, the next first. One that has begun stays until it ends: its room is needed now. */
export async function nextMeetings(
  at: SchoolDb,
  userId: string,
  now: Date,
  limit: number,
): Promise<MemberMeeting[]> {
  const seconds = Math.floor(now.getTime() / 1000)
  const schedule = { states: ['available', 'scheduled'], now: seconds - DAY_SECONDS } as const
  const range = { limit: limit + MOST_OF_A_DAY, fromEnd: false }
  const rows = await meetingsToCome(at, userId, schedule, range)
  return rows.filter(({ endedAt }) => endedAt > now).slice(0, limit)
}
