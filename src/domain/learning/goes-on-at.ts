import type { EnrolledCourse } from './enrolled-courses.ts'
import type { SyllabusLecture } from './syllabus.ts'
import { playerOf } from './video-player.ts'

/**
 * The second at which the page of the next lecture goes on with its video. Undefined if it begins
 * anew: the player of another host tells no position, and the position in a text is no time of a
 * film.
 */
export function goesOnAt(
  { lastWatched, lastVideoUrl }: Pick<EnrolledCourse, 'lastWatched' | 'lastVideoUrl'>,
  next: Pick<SyllabusLecture, 'id' | 'state'>,
  hosts: readonly string[],
): number | undefined {
  // A lecture that was marked as unread begins anew, though the enrollment still has its last
  // position.
  if (lastWatched?.lectureId !== next.id || next.state !== 'read') return undefined
  if (lastVideoUrl === null || playerOf(lastVideoUrl, hosts)?.kind !== 'file') return undefined
  return lastWatched.positionSeconds > 0 ? lastWatched.positionSeconds : undefined
}
