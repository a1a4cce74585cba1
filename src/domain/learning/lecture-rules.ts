import { sql } from 'kysely'
import { z } from 'zod'
import { parseUrl } from '../../foundation/net/parse-url.ts'
import { count, id, line, markdown, time } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'

export const LECTURE_KINDS = ['video', 'text', 'file'] as const

/** The kind of the lecture `l`. Quizzes had no questions; those that exist are texts. */
export const KIND_COLUMN = sql<(typeof LECTURE_KINDS)[number]>`
  case l.kind when 'quiz' then 'text' else l.kind end`

/** The address of the video that the lecture `l` is; null if it is none, or its address is missing. */
export const VIDEO_URL_COLUMN = sql<string | null>`case l.kind when 'video' then l.video_url end`

/** Not http: the page is https, and a browser would not play it. */
const videoAddress = z
  .url({ protocol: /^https$/, error: 'Write an address that begins with https://.' })
  .max(2000, 'Use at most 2000 characters.')
  .refine(hasNoCredentials, 'Remove the name and the password from the address.')

function hasNoCredentials(address: string): boolean {
  const url = parseUrl(address)
  return url === undefined || (url.username === '' && url.password === '')
}

/** The `unlock_…` fields define when students may open a lecture: at once if both are null. */
export const lectureFields = {
  title: line(300),
  kind: z.enum(LECTURE_KINDS),
  body: markdown(),
  video_url: videoAddress.nullable().meta({
    description:
      'Played on the page if the school names its host, else a link. Used by the kind video.',
  }),
  file_id: id.nullable().meta({ description: 'What students download. Used by the kind file.' }),
  duration_seconds: count.max(1_000_000),
  is_preview: z.boolean().meta({ description: 'Visitors can open it without an enrollment.' }),
  unlock_after_days: count
    .max(10_000)
    .nullable()
    .meta({ description: 'Days after the enrollment; excludes unlock_at.' }),
  unlock_at: time.nullable().meta({ description: 'A fixed time; excludes unlock_after_days.' }),
}

interface LectureRow {
  unlock_after_days?: number | null | undefined
  unlock_at?: string | null | undefined
}

/** Setting one of the two clears the other, unless both are given. */
export function completeLecture(row: LectureRow): void {
  if (row.unlock_at != null) row.unlock_after_days ??= null
  else if (row.unlock_after_days != null) row.unlock_at ??= null
}

export const lectureRules: RowRules<LectureRow> = [
  {
    field: 'unlock_at',
    code: 'inconsistent',
    detail:
      'A lecture opens either some days after the enrollment or at a date. Give only one of the two.',
    broken: ({ unlock_after_days, unlock_at }) => unlock_after_days != null && unlock_at != null,
  },
]
