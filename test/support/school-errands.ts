import { EXAMPLE } from '../../src/domain/operation/example-ids.ts'
import { hiddenFields, type Visitor } from './browser-like.ts'
import type { Desk } from './school-desk.ts'
import { PNG, uploadTo } from './uploading.ts'
import type { TestPerson } from './world.ts'

/** An operator in the admin area of a school that has the examples of the operations. */
export interface Errands {
  readonly desk: Desk
  readonly owner: Visitor
  /** A member who has none of the examples. */
  readonly student: TestPerson
}

const LATER = { starts_at: '2099-02-01T18:00', ends_at: '2099-02-01T20:00' }

/** Performs all admin actions other than create, edit and remove, which FORM_CASES cover. */
export async function runErrands(errands: Errands): Promise<void> {
  await teach(errands)
  await consult(errands)
  await askQuestions(errands)
  await setUpTheSchool(errands)
}

async function teach({ desk, owner, student }: Errands): Promise<void> {
  const course = `/admin/courses/${EXAMPLE.course}`
  await desk.done(`${course}/announce`, { title: 'New lectures', body: 'Two of them.' })
  await desk.done(`${course}/enrollments/new`, { student_id: student.email })
  const curriculum = `${course}/curriculum`
  const hidden = hiddenFields(await desk.page(curriculum), curriculum)
  const moved = await owner.post(curriculum, { ...hidden, move: `down ${EXAMPLE.lecture}` })
  if (moved.statusCode !== 303) throw new Error(`the lecture was not moved: ${moved.body}`)
  const mark = { lecture_id: EXAMPLE.lecture, state: 'completed' }
  await desk.done(`/admin/enrollments/${EXAMPLE.enrollment}/mark`, mark)
  for (const [path, there, back] of [
    [`/admin/comments/${EXAMPLE.comment}`, 'hide', 'show'],
    [`/admin/subscriptions/${EXAMPLE.subscription}`, 'cancel', 'resume'],
    [`/admin/pages/${EXAMPLE.page}`, 'unpublish', 'publish'],
  ] as const) {
    await desk.done(`${path}/${there}`)
    await desk.done(`${path}/${back}`)
  }
}

async function consult({ desk, student }: Errands): Promise<void> {
  const { path: service } = await desk.done('/admin/services/new', { title: 'Critique' })
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const slots = { weekdays, start_times: '09:30', duration_minutes: '45', capacity: '2' }
  const { body } = await desk.done(`${service}/slots/new`, slots)
  // The first slot is on Monday.
  const slot = /\/admin\/slots\/[0-9a-f-]{36}/.exec(body)?.[0] ?? ''
  await desk.done(`${slot}/book`, { on: '2099-02-02', member_id: student.email })
  const { path: meeting } = await desk.done(`${service}/meetings/new`, LATER)
  await desk.done(`${meeting}/seat`, { member_id: student.email })
  await desk.done(`${meeting}/unseat`, { member_id: student.email })
  const { path: group } = await desk.done('/admin/study-groups/new', { name: 'Sketchers' })
  await desk.done(`${group}/add-member`, { member_id: student.email })
  await desk.done(`${group}/classes/new`, LATER)
  await desk.done(`${group}/remove-member`, { member_id: student.email })
}

async function askQuestions({ desk }: Errands): Promise<void> {
  const { path } = await desk.done('/admin/forms/new', { title: 'How was it?' })
  await desk.done(`${path}/question`, { label: 'Your course', kind: 'text' })
  await desk.done(`${path}/question`, { label: 'Anything else?', kind: 'long_text' })
  await desk.done(`${path}/open`)
  const html = await desk.page(`${path}/remove-question`)
  const question = /<option value="([^"]+)"/.exec(html)?.[1] ?? ''
  await desk.done(`${path}/remove-question`, { question })
  await desk.done(`${path}/close`)
}

async function setUpTheSchool({ desk, owner }: Errands): Promise<void> {
  await desk.done('/admin/details', { currency: 'USD' })
  await desk.done('/admin/appearance', { primary_color: '#0f766e' })
  const pdf = { name: 'book.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF') }
  for (const [path, file] of [
    ['/admin/appearance/logo', { bytes: PNG }],
    [`/admin/courses/${EXAMPLE.course}/cover`, { bytes: PNG }],
    [`/admin/products/${EXAMPLE.product}/file`, pdf],
  ] as const) {
    const answer = await uploadTo(owner, path, file)
    if (answer.statusCode !== 303) throw new Error(`${path} answered ${answer.statusCode}`)
  }
}
