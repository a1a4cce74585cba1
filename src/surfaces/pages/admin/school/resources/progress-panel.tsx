import type { readProgress } from '../../../../../domain/learning/progress-operations.ts'
import { Empty, Panel } from '../../../../../foundation/html/site-components.tsx'
import { CourseMeter } from '../../../views/course-meter.tsx'
import type { Column } from '../list-plan.ts'
import type { OutputOf, Place } from '../row.ts'
import { moment, state, text } from '../views/cells.tsx'
import { ObjectTable } from '../views/object-table.tsx'

type Progress = OutputOf<typeof readProgress>

const columns: readonly Column<Progress['lectures'][number]>[] = [
  { label: 'Lecture', show: text('title') },
  { label: 'State', show: state('state') },
  { label: 'Completed', show: moment('completed_at') },
]

/** How far a student is, as a whole and lecture by lecture. */
export function ProgressPanel({ progress, place }: { progress: Progress; place: Place }) {
  const { completed_lectures: completed, total_lectures: total, percent, lectures } = progress
  return (
    <Panel id="progress" title="Progress">
      {lectures.length === 0 ? (
        <Empty>
          <p>This course has no lectures yet.</p>
        </Empty>
      ) : (
        <>
          <CourseMeter progress={{ percent, completedLectures: completed, totalLectures: total }} />
          <details>
            <summary>Lecture by lecture</summary>
            <ObjectTable caption="Lectures" columns={columns} rows={lectures} place={place} />
          </details>
        </>
      )}
    </Panel>
  )
}
