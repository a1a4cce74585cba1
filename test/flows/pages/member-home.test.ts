import { describe, expect, test } from 'vitest'
import { aPayment } from '../../support/billing.ts'
import { aMeeting, aService, hoursFromNow } from '../../support/consulting.ts'
import { aNotification } from '../../support/inbox.ts'
import {
  aCourse,
  anEnrollment,
  aProductOf,
  aRegistration,
  daysFromNow,
  someProgress,
} from '../../support/learning.ts'
import { signedIn } from '../../support/operator-like.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()

/** The text of the page, as a person reads it. */
const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&nbsp;', ' ')

async function homeOf(person: Awaited<ReturnType<typeof world.aMember>>) {
  const visitor = await signedIn(world, school, person)
  const answer = await visitor.get('/account')
  expect(answer.statusCode).toBe(200)
  return { visitor, html: answer.body, words: wordsOf(answer.body) }
}

describe('the home of a member', () => {
  test('says what to do next where there is nothing yet', async () => {
    const ada = await world.aMember(school)
    const { html, words } = await homeOf(ada)
    expect(words).toContain(`Hello, ${ada.name}`)
    expect(words).toContain('You are not enrolled in a course yet. Find a course')
    expect(words).toContain('You have nothing to pay.')
    expect(words).toContain('No booking ahead.')
    expect(html).toContain('href="/account/settings"')
  })

  test('shows each course with its progress and the lecture to go on with', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school, [[{ title: 'First' }, { title: 'Second' }], [{}]], {
      title: 'Watercolour',
    })
    await anEnrollment(school, ada, course)
    await someProgress(school, ada, course, course.lectures[0]?.[0] ?? '', 'completed')
    const ended = await aCourse(school, [[{}]], { title: 'Old course' })
    await anEnrollment(school, ada, ended, { expiresAt: daysFromNow(-1) })
    const locked = await aCourse(school, [[{ unlockAt: daysFromNow(5) }]], { title: 'Later' })
    await anEnrollment(school, ada, locked)
    const { html, words } = await homeOf(ada)
    expect(words).toMatch(/Watercolour 33% 1 of 3 lectures Next: Second Continue Watercolour/)
    expect(html).toContain(`href="/courses/${course.slug}/lectures/${course.lectures[0]?.[1]}"`)
    expect(words).toMatch(/Old course Access ended/)
    expect(words).toMatch(/Later 0% 0 of 1 lectures The next lecture opens on/)
    expect(words).not.toContain('Continue Old course')
  })

  test('shows the course that was opened last first, however many newer ones there are, and ended ones last', async () => {
    const ada = await world.aMember(school)
    const add = async (title: string, daysAgo: number, ended = false) => {
      const course = await aCourse(school, [[{}]], { title })
      const expires = ended ? { expiresAt: daysFromNow(-1) } : {}
      await anEnrollment(school, ada, course, { enrolledAt: daysFromNow(-daysAgo), ...expires })
      return course
    }
    await add('Ended course', 1.5, true)
    for (let age = 2; age < 9; age++) await add(`Course ${age}`, age)
    const inUse = await add('Course in use', 60)
    const { visitor, words } = await homeOf(ada)
    expect(words).not.toContain('Course in use')
    await visitor.get(`/courses/${inUse.slug}/lectures/${inUse.lectures[0]?.[0]}`)
    const after = wordsOf((await visitor.get('/account')).body)
    const shown = [...after.matchAll(/(?:Start|Continue) (Course in use|Course \d)/g)]
    expect(shown.map(([, title]) => title)).toEqual([
      'Course in use',
      ...[2, 3, 4, 5, 6].map((age) => `Course ${age}`),
    ])
    expect(after).not.toContain('Ended course')
  })

  test('shows what is still to be paid and how, the first due first, and not what is paid or over', async () => {
    const ada = await world.aMember(school)
    const bank = { code: '822', name: 'CTBC Bank', codeNo: '9103522175887271' }
    const unpaid = { type: 'atm', state: 'pending', bank } as const
    await aPayment(school, ada, {
      ...unpaid,
      expiresAt: hoursFromNow(24 * 5 + 1),
      lines: [{ title: 'Watercolour', amount: 1000 }],
    })
    await aPayment(school, ada, {
      type: 'convenience_store',
      state: 'pending',
      bank: { code: '', name: 'FamilyMart', codeNo: 'GW42' },
      expiresAt: hoursFromNow(7.5),
      lines: [
        { title: 'Workbook', amount: 500 },
        { title: 'Postage', amount: 500 },
      ],
    })
    await aPayment(school, ada, { lines: [{ title: 'Paid before', amount: 1 }] })
    await aPayment(school, ada, {
      ...unpaid,
      expiresAt: hoursFromNow(-1),
      lines: [{ title: 'Missed', amount: 1 }],
    })
    await aPayment(school, ada, { ...unpaid, type: null, bank: undefined as never })
    const { html, words } = await homeOf(ada)
    expect(words).toMatch(/Workbook and 1 more .*7 hours left.*FamilyMart.*GW42/)
    expect(words).toMatch(
      /Watercolour .*5 days left.*CTBC Bank \(bank code 822\).*9103522175887271/,
    )
    expect(words.indexOf('Workbook')).toBeLessThan(words.indexOf('Watercolour'))
    expect(words).not.toContain('Paid before')
    expect(words).not.toContain('Missed')
    expect(html.match(/data-copies/g)).toHaveLength(2)
  })

  test('says that there is more to pay than it shows', async () => {
    const ada = await world.aMember(school)
    const owe = () =>
      aPayment(school, ada, { type: 'atm', state: 'pending', expiresAt: hoursFromNow(49) })
    for (let n = 0; n < 5; n++) await owe()
    const { visitor, words } = await homeOf(ada)
    expect(words).not.toContain('There is more to pay')
    await owe()
    expect(wordsOf((await visitor.get('/account')).body)).toContain('There is more to pay')
    const page = wordsOf((await visitor.get('/account/payments')).body)
    expect(page).toContain('There is more to pay. It is in the list below.')
    expect(page.match(/until/g)).toHaveLength(5)
  })

  test('shows the room of the next booking, also while it runs', async () => {
    const ada = await world.aMember(school)
    const service = await aService(school, [])
    const seats = [ada]
    await aMeeting(school, { service, seats, title: 'Tomorrow', start: hoursFromNow(24) })
    await aMeeting(school, { service, seats, title: 'Yesterday', start: hoursFromNow(-20) })
    await aMeeting(school, {
      ...{ service, seats, title: 'Called off', state: 'canceled' },
      start: hoursFromNow(1),
    })
    expect((await homeOf(ada)).words).toMatch(/Next booking Tomorrow/)
    await aMeeting(school, {
      service,
      seats,
      title: 'Running',
      start: hoursFromNow(-0.5),
      hours: 1,
    })
    const { words } = await homeOf(ada)
    expect(words).toMatch(/Next booking Running Now/)
    expect(words).not.toContain('Tomorrow')
  })

  test('counts unread messages and shows the latest, with events and downloads', async () => {
    const ada = await world.aMember(school)
    await aNotification(school, ada, { title: 'Read before', read: true })
    await aNotification(school, ada, { title: 'The hall moved', url: '/pages/hall' })
    await aNotification(school, ada)
    await aRegistration(school, ada)
    await aRegistration(school, ada, { eventState: 'canceled' })
    await aProductOf(school, ada, { title: 'Workbook' })
    const { html, words } = await homeOf(ada)
    expect(words).toContain('Inbox 2 new')
    expect(html).toContain('<a href="/pages/hall"><bdi>The hall moved</bdi></a>')
    expect(words.match(/An event/g)).toHaveLength(1)
    expect(words).toContain('Workbook Yours since')
  })

  test('a member sees nothing of another member or of another school', async () => {
    const [ada, mallory] = [await world.aMember(school), await world.aMember(school)]
    const other = await world.aSchool()
    await world.aMember(other, ['student'], mallory)
    for (const [at, person] of [
      [school, ada],
      [other, mallory],
    ] as const) {
      const course = await aCourse(at, [[{}]], { title: 'Secret course' })
      await anEnrollment(at, person, course)
      await aPayment(at, person, { type: 'atm', state: 'pending' })
      await aMeeting(at, { service: await aService(at, []), seats: [person], title: 'Secret hour' })
      await aNotification(at, person, { title: 'Secret message' })
      await aRegistration(at, person)
      await aProductOf(at, person, { title: 'Secret file' })
    }
    const { words } = await homeOf(mallory)
    expect(words).not.toMatch(/Secret|An event|A payment/)
  })

  test('a person without a role is told how to become a member', async () => {
    const stranger = await world.aPerson()
    expect((await homeOf(stranger)).words).toContain('You are not a member of')
  })
})
