import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { AdminBrowser, errorsIn, wrongFields } from '../../support/admin-browser.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../../support/consulting.ts'
import { aCourse, anEnrollment, daysFromNow } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const owner = await anOwner(world, school)
const browser = new AdminBrowser(owner)

/** The inbox of a member, as the Member API shows it. */
async function inboxOf(person: TestPerson): Promise<readonly { title: string; body: string }[]> {
  const token = await aToken(world, school, person)
  const { viewer } = await read<{
    viewer: { notifications: { nodes: { title: string; body: string }[] } }
  }>(world, school, token, '{ viewer { notifications { nodes { title body } } } }')
  return viewer.notifications.nodes
}

/** A lecturer and the owner of another school, each with the status that answers them. */
async function strangers(): Promise<readonly (readonly [Visitor, number, string])[]> {
  const lecturer = await signedIn(world, school, await world.aMember(school, ['lecturer']))
  const elsewhere = await anOwner(world, await world.aSchool())
  const visitors = [
    [lecturer, 403],
    [elsewhere, 404],
  ] as const
  return await Promise.all(
    visitors.map(async ([visitor, status]) => {
      const page = (await visitor.get('/account')).body
      return [visitor, status, hiddenFields(page, '/sign-out').form_token ?? ''] as const
    }),
  )
}

describe('access to a course that is extended', () => {
  async function anAccess(expiresAt?: Date, revokedAt?: Date) {
    const person = await world.aMember(school)
    const course = await aCourse(school)
    const options = {
      enrolledAt: daysFromNow(-400),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(revokedAt === undefined ? {} : { revokedAt }),
    }
    const id = await anEnrollment(school, person, course, options)
    const end = async () => {
      const row = await school.db
        .from('enrollments')
        .select('expires_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return row.expires_at
    }
    return { person, path: `/admin/enrollments/${id}`, end }
  }

  test('counts from its end, and the student is told', async () => {
    const { person, path, end } = await anAccess(new Date('2098-01-15T09:00:00Z'))
    expect(await browser.page(path)).toContain(`${path}/extend`)
    await browser.done(`${path}/extend`, { by: '3 months' })
    expect(await end()).toEqual(new Date('2098-04-15T09:00:00Z'))
    const [told] = await inboxOf(person)
    expect(told?.title).toBe('Your access was extended')
    expect(told?.body).toContain('April 15, 2098')
  })

  test('counts months of the school, so that the first of a month stays the first', async () => {
    const { path, end } = await anAccess(new Date('2098-02-28T16:00:00Z'))
    const setZone = async (time_zone: string) => {
      const change = world.database.db.updateTable('schools').set({ time_zone })
      await change.where('id', '=', school.id).execute()
      world.context.directory.forget(school.id)
    }
    await setZone('Asia/Taipei')
    await browser.done(`${path}/extend`, { by: '1 month' })
    await setZone('UTC')
    expect(await end()).toEqual(new Date('2098-03-31T16:00:00Z'))
  })

  test('counts from now if it has ended, and can become access for life', async () => {
    const { path, end } = await anAccess(daysFromNow(-100))
    await browser.done(`${path}/extend`, { by: '1 month' })
    const ends = (await end())?.getTime() ?? 0
    expect(ends).toBeGreaterThan(daysFromNow(27).getTime())
    expect(ends).toBeLessThan(daysFromNow(32).getTime())
    await browser.done(`${path}/extend`, { by: 'for life' })
    expect(await end()).toBeNull()
    expect(await browser.page(path)).not.toContain(`${path}/extend`)
  })

  test('a double click extends it once', async () => {
    const { path, end } = await anAccess(new Date('2098-01-15T09:00:00Z'))
    const form = await browser.page(`${path}/extend`)
    const send = () => browser.fill(form, `${path}/extend`, { by: '1 year' })
    const answers = await Promise.all([send(), send()])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 409])
    expect(await end()).toEqual(new Date('2099-01-15T09:00:00Z'))
  })

  test('a time that is not offered, a revoked access, a lecturer and another school are refused', async () => {
    const until = new Date('2098-01-15T09:00:00Z')
    const { path, end } = await anAccess(until)
    const bad = await browser.send(`${path}/extend`, { by: "1 year'; drop table users" })
    expect(wrongFields(bad.body)).toEqual(['by'])
    for (const [visitor, status, form_token] of await strangers()) {
      const sent = { form_token, if_version: '1', by: '1 year' }
      expect((await visitor.post(`${path}/extend`, sent)).statusCode).toBe(status)
    }
    expect(await end()).toEqual(until)
    const revoked = await anAccess(until, daysFromNow(-1))
    expect(await browser.page(`${revoked.path}/extend`)).toContain(
      'is not possible as things are now',
    )
    const form_token = hiddenFields(await browser.page(path), '/sign-out').form_token ?? ''
    const sent = { form_token, if_version: '1', by: '1 year' }
    expect((await owner.post(`${revoked.path}/extend`, sent)).statusCode).toBe(409)
  })
})

describe('a meeting that is moved', () => {
  async function aBooking(seats: number, start = hoursFromNow(48)) {
    const people = await Promise.all(Array.from({ length: seats }, () => world.aMember(school)))
    const service = await aService(school, [])
    const id = await aMeeting(school, { service, start, state: 'scheduled', seats: people })
    const times = () =>
      school.db
        .from('consulting_meetings')
        .select(['starts_at', 'ends_at', 'state', 'room_url'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    return { people, service, id, path: `/admin/meetings/${id}`, times }
  }

  test('takes as long as before at its new time, stays scheduled, and all who attend are told', async () => {
    const { people, path, times } = await aBooking(2)
    const before = await times()
    await browser.done(`${path}/move`, {
      starts_at: '2099-03-02T09:30',
      room_url: 'https://rooms.test/2',
    })
    const after = await times()
    expect(after).toMatchObject({
      starts_at: new Date('2099-03-02T09:30:00Z'),
      state: 'scheduled',
      room_url: 'https://rooms.test/2',
    })
    const length = (row: typeof before) => row.ends_at.getTime() - row.starts_at.getTime()
    expect(length(after)).toBe(length(before))
    for (const person of people) {
      const [told] = await inboxOf(person)
      expect(told?.title).toBe('A meeting was moved')
      expect(told?.body).toContain('March 2, 2099')
      // The room is a secret of those who attend, and an inbox is kept for longer.
      expect(told?.body).not.toContain('rooms.test')
    }
  })

  test('tells of a new room alone, and of nothing if nothing changed', async () => {
    const { people, path } = await aBooking(1)
    const [person] = people as [TestPerson]
    await browser.done(`${path}/move`)
    expect(await inboxOf(person)).toEqual([])
    await browser.done(`${path}/move`, { room_url: 'https://rooms.test/3' })
    expect(await inboxOf(person)).toMatchObject([{ title: 'A meeting has another room' }])
  })

  test('a class is moved for the members of its group', async () => {
    const person = await world.aMember(school)
    const group = await aStudyGroup(school, [person])
    const id = await aMeeting(school, { group, start: hoursFromNow(48) })
    await browser.done(`/admin/meetings/${id}/move`, { starts_at: '2099-03-02T09:30' })
    expect(await inboxOf(person)).toMatchObject([{ title: 'A meeting was moved' }])
  })

  test('to the past, onto another meeting, into too few seats or to another site is refused', async () => {
    const { service, path, times } = await aBooking(5)
    const before = await times()
    await aMeeting(school, { service, start: new Date('2099-03-02T09:30:00Z') })
    for (const [typed, field] of [
      [{ starts_at: '2001-01-01T09:00' }, 'starts_at'],
      [{ starts_at: '2099-03-02T09:30' }, 'starts_at'],
      // The slot on Wednesdays at 09:30 in Taipei has four seats.
      [{ starts_at: '2099-03-04T01:30' }, 'starts_at'],
      [{ room_url: 'javascript:alert(1)' }, 'room_url'],
    ] as const) {
      const answer = await browser.send(`${path}/move`, typed)
      expect(wrongFields(answer.body), JSON.stringify(typed)).toEqual([field])
    }
    expect(await times()).toEqual(before)
  })

  test('a canceled one is not reopened at a time that was booked again meanwhile', async () => {
    const { service, path, times } = await aBooking(1)
    await browser.done(`${path}/cancel`)
    const other = await aMeeting(school, { service, start: (await times()).starts_at })
    const refused = await browser.send(`${path}/reopen`)
    expect(refused.statusCode).toBe(409)
    expect(refused.body).toContain('another meeting at this time')
    expect(await times()).toMatchObject({ state: 'canceled' })
    await browser.done(`/admin/meetings/${other}/cancel`)
    await browser.done(`${path}/reopen`)
    expect(await times()).toMatchObject({ state: 'available' })
  })

  test('one that is over or canceled, a lecturer and another school are refused', async () => {
    const over = await aBooking(1, hoursFromNow(-48))
    expect(await browser.page(over.path)).not.toContain('/move')
    const { path, times } = await aBooking(1)
    const before = await times()
    const sent = { if_version: '1', starts_at: '2099-03-02T09:30', room_url: '' }
    for (const [visitor, status, form_token] of await strangers()) {
      expect((await visitor.post(`${path}/move`, { ...sent, form_token })).statusCode).toBe(status)
    }
    const form_token = hiddenFields(await browser.page(path), '/sign-out').form_token ?? ''
    await browser.done(`${path}/cancel`)
    const late = await owner.post(`${path}/move`, { ...sent, form_token, if_version: '2' })
    expect(late.statusCode).toBe(409)
    expect((await times()).starts_at).toEqual(before.starts_at)
  })
})

describe('check-in at an event', () => {
  async function anEvent(people: readonly TestPerson[]) {
    const id = uuidv7()
    const times = { starts_at: hoursFromNow(1), ends_at: hoursFromNow(3) }
    const event = { id, slug: `event-${id}`, title: 'Open studio', currency: 'TWD', ...times }
    await school.db.insert('events', { ...event, state: 'published' }).execute()
    const rows = people.map((person) => ({ id: uuidv7(), event_id: id, user_id: person.id }))
    await school.db.insert('event_registrations', rows).execute()
    const states = async () => {
      const found = await school.db
        .from('event_registrations')
        .select('state')
        .where('event_id', '=', id)
        .orderBy('id')
        .execute()
      return found.map(({ state }) => state)
    }
    const registrations = rows.map((row) => row.id)
    return {
      path: `/admin/events/${id}/check-in`,
      event: `/admin/events/${id}`,
      registrations,
      states,
    }
  }

  async function people(count: number): Promise<TestPerson[]> {
    return await Promise.all(Array.from({ length: count }, () => world.aMember(school)))
  }

  test('one press marks a person who was found by name as attended, another undoes it', async () => {
    const [ada, ben] = (await people(2)) as [TestPerson, TestPerson]
    const { path, event, states } = await anEvent([ada, ben])
    expect(await browser.page(event)).toContain(`href="${path}"`)
    const found = `${path}?search=${encodeURIComponent(ben.email)}`
    const list = await browser.page(found)
    expect(list).toContain(ben.name)
    expect(list).not.toContain(ada.name)
    const checked = await browser.fill(list, found, {})
    expect(checked.statusCode).toBe(303)
    expect(checked.headers.location).toContain('search=')
    expect(await states()).toEqual(['registered', 'attended'])
    const again = await browser.page(String(checked.headers.location))
    expect(again).toContain('Marked as attended.')
    expect((await browser.fill(again, found, {})).statusCode).toBe(303)
    expect(await states()).toEqual(['registered', 'registered'])
  })

  test('a double click checks in once, and undoes nothing', async () => {
    const { path, states } = await anEvent(await people(1))
    const list = await browser.page(path)
    const answers = await Promise.all([browser.fill(list, path, {}), browser.fill(list, path, {})])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([303, 303])
    expect(await states()).toEqual(['attended'])
  })

  test('a registration of another event, a canceled one and one of another school are refused', async () => {
    const first = await anEvent(await people(1))
    const second = await anEvent(await people(1))
    const form_token = hiddenFields(await browser.page(first.path), '/sign-out').form_token ?? ''
    const [own = ''] = first.registrations
    const [foreign = ''] = second.registrations
    const send = (registration: string, to: string) =>
      owner.post(first.path, { form_token, registration, to })
    expect((await send(foreign, 'attended')).statusCode).toBe(404)
    expect((await send(own, 'canceled')).statusCode).toBe(400)
    expect((await send('nonsense', 'attended')).statusCode).toBe(400)
    await browser.done(`/admin/registrations/${own}/cancel`)
    for (const to of ['attended', 'registered']) expect((await send(own, to)).statusCode).toBe(409)
    expect(await first.states()).toEqual(['canceled'])
    for (const [visitor, status, token] of await strangers()) {
      expect((await visitor.get(second.path)).statusCode).toBe(status)
      const sent = { form_token: token, registration: foreign, to: 'attended' }
      expect((await visitor.post(second.path, sent)).statusCode).toBe(status)
    }
    expect(await second.states()).toEqual(['registered'])
  })

  test('a forged post, and markup in the search, do nothing', async () => {
    const { path, registrations, states } = await anEvent(await people(1))
    const sent = { registration: registrations[0] ?? '', to: 'attended' }
    expect((await owner.post(path, sent)).statusCode).toBe(403)
    expect(await states()).toEqual(['registered'])
    const attack = `${path}?search=${encodeURIComponent('"><script>alert(1)</script>')}`
    const html = await browser.page(attack)
    expect(html).not.toContain('<script')
    expect(errorsIn(html)).toEqual([])
  })
})
