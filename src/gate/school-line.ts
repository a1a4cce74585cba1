import type { FastifyRequest } from 'fastify'
import type { School } from '../domain/schools/school.ts'
import type { Db } from '../foundation/db/database.ts'
import { waitingOf } from '../foundation/db/lanes.ts'
import { CROWDED } from '../foundation/db/time-outs.ts'
import { findCookie, sessionCookieName } from '../foundation/http/cookies.ts'
import { type Entrant, type LineSettings, RequestLine } from '../foundation/http/request-line.ts'

/** The line in which requests wait while the connections of their school and class are crowded. */
export function createRequestLine(db: Db, settings?: Partial<LineSettings>): RequestLine {
  return new RequestLine({
    isCrowded: ({ school, isStranger }) =>
      waitingOf(db, { lane: isStranger ? 'stranger' : 'interactive', share: school }) >= CROWDED,
    ...settings,
  })
}

/** A made-up credential chooses the other line, and gains nothing there. */
export function entrantOf({ headers }: FastifyRequest, school: School | undefined): Entrant {
  if (school === undefined) return { school: '', isStranger: true }
  const hasCredential =
    headers.authorization !== undefined ||
    (headers.cookie !== undefined &&
      findCookie(headers.cookie, sessionCookieName(school.origin)) !== undefined)
  return { school: school.id, isStranger: !hasCredential }
}
