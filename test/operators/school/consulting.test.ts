import { describe, expect, test } from 'vitest'
import { AdminBrowser, wrongFields } from '../../support/admin-browser.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../../support/consulting.ts'
import { aCourse, anEnrollment } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const browser = new AdminBrowser(await anOwner(world, school))
const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
const tokens = new Map<TestPerson, string>()

interface Seen {
  readonly consultingMeetings: {
    readonly nodes: readonly {
      readonly id: string
      readonly title: string
      readonly state: string
      readonly startedAt: number
      readonly roomUrl: string
      readonly attendeesCount: number
    }[]
  }
  readonly consultingServices: {
    readonly nodes: readonly {
      readonly title: string
      readonly slots: readonly { readonly weekday: number; readonly startsAt: string }[]
    }[]
  }
}

const SEEN = `{ viewer {
  consultingMeetings { nodes { id title state startedAt roomUrl attendeesCount } }
  consultingServices { nodes { title slots { weekday startsAt } } } } }`

/** What a member sees through the Member API. */
async function seenBy(person: TestPerson): Promise<Seen> {
  const token = tokens.get(person) ?? (await aToken(world, school, person))
  tokens.set(person, token)
  return (await read<{ viewer: Seen }>(world, school, token, SEEN)).viewer
}

async function meetingOf(person: TestPerson, title: string) {
  return (await seenBy(person)).consultingMeetings.nodes.find((one) => one.title === title)
}

/** The first date after today with this day of the week, in UTC; 1 is Monday. */
function next(weekday: number): string {
  const day = new Date(Date.now() + 86_400_000)
  while ((day.getUTCDay() || 7) !== weekday) day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString().slice(0, 10)
}

const local = (date: Date) => date.toISOString().slice(0, 16)

/** The URL of the first row with this name. */
function linkTo(html: string, name: string): string {
  return (
    new RegExp(`<a class="row-link" href="([^"]+)">(?:<bdi[^>]*>)?${name}`).exec(html)?.[1] ?? ''
  )
}

describe('a service', () => {
  test('is offered with several slots at once, booked, confirmed, canceled and reopened', async () => {
    const course = await aCourse(school)
    await anEnrollment(school, ada, course)
    const service = await browser.done('/admin/services/new', {
      title: 'Critique',
      course_ids: [course.id],
    })
    const added = await browser.done(`${service.path}/slots/new`, {
      weekdays: ['monday', 'wednesday'],
      start_times: '09:30, 14:00',
      duration_minutes: '45',
      capacity: '2',
    })
    expect(added.path).toBe(service.path)
    expect(added.body).toContain('The slots are offered.')
    expect(added.body).toContain('09:30 to 10:15')
    const offered = (await seenBy(ada)).consultingServices.nodes
    expect(offered.find(({ title }) => title === 'Critique')?.slots).toEqual([
      { weekday: 1, startsAt: '09:30' },
      { weekday: 1, startsAt: '14:00' },
      { weekday: 3, startsAt: '09:30' },
      { weekday: 3, startsAt: '14:00' },
    ])

    const slot = linkTo(added.body, 'Wednesday')
    await browser.done(`${slot}/book`, { on: next(3), member_id: ada.email })
    const reserved = await meetingOf(ada, 'Critique')
    expect(reserved).toMatchObject({
      state: 'available',
      startedAt: Date.parse(`${next(3)}T09:30:00Z`) / 1000,
      roomUrl: '',
      attendeesCount: 1,
    })
    expect(await meetingOf(ben, 'Critique')).toBeUndefined()

    const meeting = `/admin/meetings/${reserved?.id}`
    await browser.done(`${meeting}/seat`, { member_id: ben.email.toUpperCase() })
    await browser.done(`${meeting}/confirm`, { room_url: 'https://rooms.test/1' })
    expect(await meetingOf(ben, 'Critique')).toMatchObject({
      state: 'scheduled',
      roomUrl: 'https://rooms.test/1',
      attendeesCount: 2,
    })
    const page = await browser.page(meeting)
    expect(page).toContain(ada.name)
    expect(page).toContain(`/unseat?member_id=${encodeURIComponent(ben.email)}`)
    await browser.done(`${meeting}/unseat`, { member_id: ben.email })
    expect(await meetingOf(ben, 'Critique')).toBeUndefined()

    await browser.done(`${meeting}/cancel`)
    expect(await meetingOf(ada, 'Critique')).toMatchObject({ state: 'canceled', roomUrl: '' })
    expect((await browser.force(`${meeting}/confirm`)).statusCode).toBe(409)
    expect(await meetingOf(ada, 'Critique')).toMatchObject({ state: 'canceled' })
    await browser.done(`${meeting}/reopen`)
    expect(await meetingOf(ada, 'Critique')).toMatchObject({ state: 'available' })
    await browser.done(`${slot}/delete`)
    expect((await seenBy(ada)).consultingServices.nodes[0]?.slots).toHaveLength(3)
  })

  test('shows beside the field what is wrong with slots and bookings', async () => {
    const { path } = await browser.done('/admin/services/new', { title: 'Mistaken' })
    const slots = await browser.send(`${path}/slots/new`, {
      start_times: '9 o’clock',
      duration_minutes: '2',
      time_zone: 'Middle/Earth',
    })
    expect(slots.statusCode).toBe(422)
    expect(wrongFields(slots.body).sort()).toEqual([
      'duration_minutes',
      'start_times',
      'time_zone',
      'weekdays',
    ])
    const made = { weekdays: ['friday'], start_times: '10:00', duration_minutes: '30' }
    const { body } = await browser.done(`${path}/slots/new`, made)
    expect((await browser.send(`${path}/slots/new`, made)).statusCode).toBe(409)
    const booking = `${linkTo(body, 'Friday')}/book`
    const wrong = async (on: string, email: string) =>
      wrongFields((await browser.send(booking, { on, member_id: email })).body)
    expect(await wrong(next(4), ada.email)).toEqual(['on'])
    expect(await wrong('2020-01-03', ada.email)).toEqual(['on'])
    expect(await wrong(next(5), 'unknown@people.test')).toEqual(['member_id'])
    expect(await wrong('', ada.email)).toEqual(['on'])
  })

  test('has meetings that an operator creates and moves', async () => {
    const service = await aService(school, [], { title: 'By hand' })
    const { path } = await browser.done(`/admin/services/${service}/meetings/new`, {
      starts_at: local(hoursFromNow(30)),
      ends_at: local(hoursFromNow(31)),
      state: 'scheduled',
    })
    await browser.done(`${path}/seat`, { member_id: ada.email })
    expect(await meetingOf(ada, 'By hand')).toMatchObject({ state: 'scheduled' })
    await browser.done(`${path}/edit`, { title: 'Moved', room_url: 'https://rooms.test/2' })
    expect(await meetingOf(ada, 'Moved')).toMatchObject({ roomUrl: 'https://rooms.test/2' })
    const bad = await browser.send(`${path}/edit`, {
      ends_at: local(hoursFromNow(2)),
      room_url: 'javascript:alert(1)',
    })
    expect(bad.statusCode).toBe(422)
    expect(wrongFields(bad.body)).toContain('room_url')
    const backwards = await browser.send(`${path}/edit`, { ends_at: local(hoursFromNow(2)) })
    expect(wrongFields(backwards.body)).toEqual(['ends_at'])
  })
})

describe('the list of meetings', () => {
  test('shows upcoming meetings first, and filters by past, kind and state', async () => {
    const other = await world.aSchool()
    const there = new AdminBrowser(await anOwner(world, other))
    const service = await aService(other, [])
    const group = await aStudyGroup(other, [])
    await aMeeting(other, { service, title: 'Long ago', start: hoursFromNow(-50) })
    await aMeeting(other, { service, title: 'Tomorrow', state: 'scheduled' })
    await aMeeting(other, { group, title: 'Lesson', start: hoursFromNow(2) })
    const shown = async (query: string) => {
      const body = await there.page(`/admin/meetings${query}`)
      return ['Lesson', 'Tomorrow', 'Long ago'].filter((title) => body.includes(`>${title}<`))
    }
    expect(await shown('')).toEqual(['Lesson', 'Tomorrow'])
    expect(await shown('?when=past')).toEqual(['Long ago'])
    expect(await shown('?when=')).toEqual(['Lesson', 'Tomorrow', 'Long ago'])
    expect(await shown('?when=never')).toEqual(['Lesson', 'Tomorrow'])
    expect(await shown('?kind=study_group')).toEqual(['Lesson'])
    expect(await shown('?when=&state=scheduled')).toEqual(['Tomorrow'])
    expect(await there.page('/admin/meetings?when=')).toContain('?when=&amp;sort=-starts_at')
  })
})

describe('a study group', () => {
  test('has classes that are removed, not canceled, if they do not take place', async () => {
    const group = await aStudyGroup(school, [ada])
    const lesson = await aMeeting(school, { group, title: 'Off', start: hoursFromNow(20) })
    const page = await browser.page(`/admin/meetings/${lesson}`)
    expect(page).toContain('Remove class')
    expect(page).not.toContain('Cancel meeting')
    expect((await browser.force(`/admin/meetings/${lesson}/cancel`)).statusCode).toBe(409)
    expect(await meetingOf(ada, 'Off')).toMatchObject({ state: 'available' })
    await browser.done(`/admin/meetings/${lesson}/delete`)
    expect(await meetingOf(ada, 'Off')).toBeUndefined()
  })

  test('shows its classes to the members on its roster, without confirmation', async () => {
    const { path } = await browser.done('/admin/study-groups/new', { name: 'Sketchers' })
    const added = await browser.done(`${path}/add-member`, { member_id: ada.email })
    expect(added.body).toContain(ada.name)
    const lesson = await browser.done(`${path}/classes/new`, {
      starts_at: local(hoursFromNow(40)),
      ends_at: local(hoursFromNow(42)),
      room_url: 'https://rooms.test/3',
    })
    expect(await meetingOf(ada, 'Sketchers')).toMatchObject({
      state: 'available',
      roomUrl: 'https://rooms.test/3',
      attendeesCount: 1,
    })
    expect(lesson.body).not.toContain(`${lesson.path}/confirm`)
    expect(lesson.body).not.toContain(`${lesson.path}/seat`)
    expect((await browser.force(`${lesson.path}/confirm`)).statusCode).toBe(409)
    const twice = await browser.send(`${path}/add-member`, { member_id: ada.email })
    expect(wrongFields(twice.body)).toEqual(['member_id'])
    await browser.done(`${path}/remove-member`, { member_id: ada.email })
    expect(await meetingOf(ada, 'Sketchers')).toBeUndefined()
    expect((await browser.force(`${path}/delete`)).statusCode).toBe(409)
  })
})

describe('a person who does not run the school', () => {
  const service = () => aService(school, [])

  test('can see and do nothing: owners of other schools, members and forged posts are refused', async () => {
    const meeting = await aMeeting(school, { service: await service(), seats: [ada] })
    const { id: slot } = await school.db
      .from('consulting_slots')
      .select('id')
      .executeTakeFirstOrThrow()
    const forms = [
      ...['confirm', 'cancel', 'delete', 'reopen', 'seat', 'unseat', 'edit'].map(
        (act) => `/admin/meetings/${meeting}/${act}`,
      ),
      ...['book', 'delete'].map((act) => `/admin/slots/${slot}/${act}`),
    ]
    const elsewhere = await anOwner(world, await world.aSchool())
    const student = await signedIn(world, school, ada)
    const owner = await anOwner(world, school)
    const refused = [
      [elsewhere, '/admin', 404, {}],
      [student, '/account', 403, {}],
      [owner, '/admin', 403, { origin: 'https://evil.example' }],
    ] as const
    for (const [visitor, page, status, headers] of refused) {
      const { form_token = '' } = hiddenFields((await visitor.get(page)).body, '/sign-out')
      for (const form of forms) {
        const fields = { form_token, member_id: ada.email, title: 'Mine', on: next(3) }
        const answer = await visitor.post(form, fields, headers)
        expect(answer.statusCode, form).toBe(status)
      }
    }
    const before = await school.db
      .from('consulting_meetings')
      .select(['state', 'title', 'version'])
      .where('id', '=', meeting)
      .executeTakeFirstOrThrow()
    expect(before).toEqual({ state: 'available', title: 'A meeting', version: 1 })
  })
})
