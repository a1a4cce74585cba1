import type { CourseProgress } from '../../../domain/learning/progress.ts'

/** How far a member is in a course. */
export function CourseMeter({ progress }: { progress: CourseProgress }) {
  const { percent, completedLectures, totalLectures } = progress
  return (
    <div class="meter">
      <progress max={100} value={percent} aria-label="Completed lectures" />
      <p>
        {`${percent}%`}
        <span class="row-note">{` ${completedLectures} of ${totalLectures} lectures`}</span>
      </p>
    </div>
  )
}
