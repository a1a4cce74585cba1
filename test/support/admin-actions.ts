import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import type { AdminBrowser } from './admin-browser.ts'
import { hiddenFields, type Visitor } from './browser-like.ts'
import { PNG, uploadTo } from './uploading.ts'
import type { TestPerson } from './world.ts'

/** An operator in the admin area of a school that has the examples of the operations. */
export interface ActionSetup {
  readonly browser: AdminBrowser
  readonly owner: Visitor
  /** A member who has none of the examples. */
  readonly student: TestPerson
}

const LATER = { starts_at: '2099-02-01T18:00', ends_at: '2099-02-01T20:00' }

/** Performs all admin actions other than create, edit and remove, which FORM_CASES cover. */
export async function performAdminActions(setup: ActionSetup): Promise<void> {
  await teach(setup)
  await sell(setup)
  await checkIn(setup)
  await consult(setup)
  await askQuestions(setup)
  await setUpTheSchool(setup)
}

async function teach({ browser, owner, student }: ActionSetup): Promise<void> {
  const course = `/admin/courses/${EXAMPLE.course}`
  await browser.done(`${course}/announce`, { title: 'New lectures', body: 'Two of them.' })
  const until = { student_id: student.email, expires_at: '2098-01-01T09:00' }
  const { path: enrollment } = await browser.done(`${course}/enrollments/new`, until)
  await browser.done(`${enrollment}/extend`, { by: '3 months' })
  await browser.done(`${enrollment}/edit`, { expires_at: '' })
  const curriculum = `${course}/curriculum`
  const hidden = hiddenFields(await browser.page(curriculum), curriculum)
  const moved = await owner.post(curriculum, { ...hidden, move: `down ${EXAMPLE.lecture}` })
  if (moved.statusCode !== 303) throw new Error(`the lecture was not moved: ${moved.body}`)
  const mark = { lecture_id: EXAMPLE.lecture, state: 'completed' }
  await browser.done(`/admin/enrollments/${EXAMPLE.enrollment}/mark`, mark)
  for (const [path, there, back] of [
    [`/admin/comments/${EXAMPLE.comment}`, 'hide', 'show'],
    [`/admin/subscriptions/${EXAMPLE.subscription}`, 'cancel', 'resume'],
    [`/admin/pages/${EXAMPLE.page}`, 'unpublish', 'publish'],
  ] as const) {
    await browser.done(`${path}/${there}`)
    await browser.done(`${path}/${back}`)
  }
}

async function sell({ browser }: ActionSetup): Promise<void> {
  // The payment of the example order has the same id.
  const payment = `/admin/payments/${EXAMPLE.order}`
  await browser.done(`${payment}/mark-unpaid`)
  await browser.done(`/admin/orders/${EXAMPLE.order}/cancel`, { end_access: 'on' })
  await browser.done(`/admin/orders/${EXAMPLE.order}/reopen`)
  await browser.done(`${payment}/mark-paid`)
}

async function checkIn({ browser }: ActionSetup): Promise<void> {
  const list = `/admin/events/${EXAMPLE.event}/check-in`
  for (const words of ['Undo', 'Check in']) {
    const answer = await browser.fill(await browser.page(list), list, {})
    if (answer.statusCode !== 303) throw new Error(`the check-in answered ${answer.statusCode}`)
    if (!(await browser.page(list)).includes(`>${words}<`)) throw new Error(`no button ${words}`)
  }
}

async function consult({ browser, student }: ActionSetup): Promise<void> {
  const { path: service } = await browser.done('/admin/services/new', { title: 'Critique' })
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const slots = { weekdays, start_times: '09:30', duration_minutes: '45', capacity: '2' }
  const { body } = await browser.done(`${service}/slots/new`, slots)
  // The first slot is on Monday.
  const slot = /\/admin\/slots\/[0-9a-f-]{36}/.exec(body)?.[0] ?? ''
  await browser.done(`${slot}/book`, { on: '2099-02-02', member_id: student.email })
  const { path: meeting } = await browser.done(`${service}/meetings/new`, LATER)
  await browser.done(`${meeting}/seat`, { member_id: student.email })
  await browser.done(`${meeting}/move`, { starts_at: '2099-02-03T18:00' })
  await browser.done(`${meeting}/unseat`, { member_id: student.email })
  const { path: group } = await browser.done('/admin/study-groups/new', { name: 'Sketchers' })
  await browser.done(`${group}/add-member`, { member_id: student.email })
  const { path: lesson } = await browser.done(`${group}/classes/new`, LATER)
  await browser.done(`${lesson}/move`, { starts_at: '2099-02-04T18:00' })
  await browser.done(`${lesson}/delete`)
  await browser.done(`${group}/remove-member`, { member_id: student.email })
}

async function askQuestions({ browser }: ActionSetup): Promise<void> {
  const { path } = await browser.done('/admin/forms/new', { title: 'How was it?' })
  await browser.done(`${path}/question`, { label: 'Your course', kind: 'text' })
  await browser.done(`${path}/question`, { label: 'Anything else?', kind: 'long_text' })
  await browser.done(`${path}/open`)
  const html = await browser.page(`${path}/remove-question`)
  const question = /<option value="([^"]+)"/.exec(html)?.[1] ?? ''
  await browser.done(`${path}/remove-question`, { question })
  await browser.done(`${path}/close`)
}

async function setUpTheSchool({ browser, owner }: ActionSetup): Promise<void> {
  await browser.done('/admin/details', { currency: 'USD' })
  await browser.done('/admin/appearance', { primary_color: '#0f766e' })
  const pdf = { name: 'book.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF') }
  for (const [path, file] of [
    ['/admin/appearance/logo', { bytes: PNG }],
    [`/admin/courses/${EXAMPLE.course}/cover`, { bytes: PNG }],
    [`/admin/products/${EXAMPLE.product}/file`, pdf],
    [`/admin/lectures/${EXAMPLE.lecture}/file`, pdf],
  ] as const) {
    const answer = await uploadTo(owner, path, file)
    if (answer.statusCode !== 303) throw new Error(`${path} answered ${answer.statusCode}`)
  }
}
