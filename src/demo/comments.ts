import { lecturesOf } from './courses.ts'
import { personId } from './people.ts'
import { idAt, type Stage } from './stage.ts'

export function addComments(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, discussion] of school.discussions.entries()) {
    const { course, lecture, by, daysAgo, body, hidden, replies = [] } = discussion
    const lecture_id = lecturesOf(stage, course)[lecture]?.id
    if (lecture_id === undefined) throw new Error(`${course} has no lecture ${lecture}`)
    const parent_id = idAt(stage, 'comment', `${i}`)
    rows.add('comments', {
      school_id: schoolId,
      id: parent_id,
      lecture_id,
      user_id: personId(by),
      body,
      hidden_at: hidden === true ? clock.at(-daysAgo, '20:00') : null,
      created_at: clock.at(-daysAgo, '11:00'),
    })
    for (const [r, reply] of replies.entries()) {
      rows.add('comments', {
        school_id: schoolId,
        id: idAt(stage, 'comment', `${i}/${r}`),
        lecture_id,
        user_id: personId(reply.by),
        parent_id,
        body: reply.body,
        created_at: clock.at(-daysAgo, `${14 + r}:00`),
      })
    }
  }
}
