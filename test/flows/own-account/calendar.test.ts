import { Writable } from 'node:stream'
import ICAL from 'ical.js'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Role } from '../../../src/domain/actor/actor.ts'
import { endByNotMeLink, mintNotMeLink } from '../../../src/domain/people/not-me-link.ts'
import { setPersonRoles } from '../../../src/domain/people/person-operations.ts'
import { mintToken } from '../../../src/foundation/protocol/token-format.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from '../../support/consulting.ts'
import { aRegistration } from '../../support/learning.ts'
import { ageProof } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../../support/performing.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const logged: string[] = []
const log = new Writable({
  write(chunk, _encoding, done) {
    logged.push(String(chunk))
    done()
  },
})
const world = await aWorld({ log })
const school = await world.aSchool()
const CALENDAR = '/account/calendar'

async function aVisitor(at = school): Promise<{ ada: TestPerson; visitor: Visitor }> {
  const ada = await world.aMember(at)
  return { ada, visitor: await signedIn(world, at, ada) }
}

/** The path that the page shows, once. */
async function anAddress(visitor: Visitor): Promise<string> {
  const { body, statusCode } = await submit(visitor, CALENDAR, CALENDAR)
  expect(statusCode).toBe(200)
  const [, path = ''] = /http:\/\/[^/]+(\/calendar\/[^<]+\.ics)/.exec(body) ?? []
  return path
}

/** As a calendar asks: without a cookie. */
const ask = (path: string, at: TestSchool = school, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  world.app.inject({ method, url: path, headers: { host: new URL(at.origin).host } })

function eventsIn(text: string) {
  return new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => {
    const event = new ICAL.Event(one)
    return {
      uid: event.uid,
      title: event.summary,
      location: event.location,
      starts: event.startDate.toJSDate(),
      sequence: event.sequence,
      status: one.getFirstPropertyValue('status'),
      names: one.getAllProperties().map(({ name }) => name),
    }
  })
}

describe('the address of a calendar', () => {
  test('has the own bookings and events of this school, without rooms and other people', async () => {
    const other = await world.aSchool()
    const { ada, visitor } = await aVisitor()
    await world.aMember(other, ['student'], ada)
    const ben = await world.aMember(school)
    const host = await world.aMember(school, ['lecturer'])
    const service = await aService(school, [], { host })
    const book = (hours: number, title: string, more = {}) =>
      aMeeting(school, { service, seats: [ada, ben], title, start: hoursFromNow(hours), ...more })
    await book(-31 * 24, 'Long ago')
    await book(-29 * 24, 'Lately')
    await book(2, 'Canceled', { state: 'canceled' })
    await book(24, 'Soon')
    await aMeeting(school, { service, seats: [ben], title: 'Of Ben' })
    await aMeeting(school, { group: await aStudyGroup(school, [ada]), title: 'Class' })
    await aMeeting(other, { service: await aService(other, []), seats: [ada], title: 'Elsewhere' })
    await aRegistration(school, ada)
    await aRegistration(school, ada, { state: 'canceled' })
    await aRegistration(school, ben)
    const { body } = await ask(await anAddress(visitor))
    const events = eventsIn(body)
    expect(events.map(({ title, status }) => [title, status]).slice(0, 2)).toEqual([
      ['Lately', 'CONFIRMED'],
      ['Canceled', 'CANCELLED'],
    ])
    expect(events.map(({ title }) => title).sort()).toEqual(
      ['An event', 'Canceled', 'Class', 'Lately', 'Soon'].sort(),
    )
    expect(events[0]?.location).toBe(`${school.origin}/account/bookings`)
    expect(new Set(events.flatMap(({ names }) => names))).toEqual(
      new Set(
        'uid dtstamp last-modified sequence dtstart dtend summary location url status'.split(' '),
      ),
    )
    for (const secret of ['rooms.test', ada.email, ada.name, ben.name, ben.email, host.name]) {
      expect(body).not.toContain(secret)
    }
  })

  test('a meeting that is moved keeps its id and counts up', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [])
    const id = await aMeeting(school, { service, seats: [ada] })
    const address = await anAddress(visitor)
    const [before] = eventsIn((await ask(address)).body)
    const start = hoursFromNow(50)
    await school.db
      .update('consulting_meetings')
      .set({ starts_at: start, ends_at: hoursFromNow(51) })
      .where('id', '=', id)
      .execute()
    const [after] = eventsIn((await ask(address)).body)
    expect(after?.uid).toBe(before?.uid)
    expect(after?.starts.getTime()).toBe(Math.floor(start.getTime() / 1000) * 1000)
    expect(after?.sequence).toBeGreaterThan(before?.sequence ?? 0)
    const one = await visitor.get(`${CALENDAR}/${id}.ics`)
    expect(eventsIn(one.body)).toEqual([after])
  })

  test('a title that is made to inject properties stays a title', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [])
    const title = 'A\r\nATTENDEE:mailto:eve@evil.test\nEND:VEVENT\r\nBEGIN:VEVENT;,\\'
    await aMeeting(school, { service, seats: [ada], title })
    const { body } = await ask(await anAddress(visitor))
    const events = eventsIn(body)
    expect(events).toHaveLength(1)
    expect(events[0]?.names).not.toContain('attendee')
    expect(events[0]?.title).toBe('A ATTENDEE:mailto:eve@evil.test END:VEVENT BEGIN:VEVENT;,\\')
  })

  test('is stored by no cache, listed by no search engine, and answers HEAD', async () => {
    const { visitor } = await aVisitor()
    const address = await anAddress(visitor)
    const [got, head] = [await ask(address), await ask(address, school, 'HEAD')]
    for (const { headers, statusCode } of [got, head]) {
      expect(statusCode).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'text/calendar; charset=utf-8',
        'cache-control': 'private, no-store',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-length': String(Buffer.byteLength(got.body)),
      })
    }
    expect(head.body).toBe('')
    expect((await ask('/robots.txt')).body).toContain('Disallow: /calendar/')
  })

  test('a wrong, cut or foreign key gets one answer that says nothing', async () => {
    const other = await world.aSchool()
    const { ada, visitor } = await aVisitor()
    const address = await anAddress(visitor)
    const { rows } = await school.db.run(sql<{ id: string }>`
      select id from calendar_feeds where school_id = ${school.id} and user_id = ${ada.id}`)
    const guessed = mintToken('calendar', rows[0]?.id ?? '').value
    const wrong = [
      `/calendar/${guessed}.ics`,
      `/calendar/${mintToken('session', rows[0]?.id ?? '').value}.ics`,
      address.slice(0, -4),
      address.replace('.ics', 'x.ics'),
      address.slice(0, -6).concat('.ics'),
      '/calendar/x.ics',
      '/calendar/%00.ics',
    ]
    const answers = [
      ...(await Promise.all(wrong.map((path) => ask(path)))),
      await ask(address, other),
    ]
    const seen = answers.map(({ statusCode, body, headers }) => ({
      statusCode,
      body,
      headers: { ...headers, date: '', 'x-request-id': '' },
    }))
    for (const one of seen) expect(one).toEqual(seen[0])
    expect(seen[0]).toMatchObject({
      statusCode: 404,
      body: 'There is no calendar at this address.\n',
    })
    expect((await ask(address)).statusCode).toBe(200)
  })

  test('is never logged, nor is any part of a path that is almost it', async () => {
    const { visitor } = await aVisitor()
    const address = await anAddress(visitor)
    const key = address.slice('/calendar/'.length, -'.ics'.length)
    logged.length = 0
    await ask(address)
    await ask(address, school, 'HEAD')
    await ask(address, school, 'POST')
    await ask(address, await world.aSchool())
    const near = [
      `${address}/`,
      `${address}?a=${key}`,
      `/x${address}`,
      `/calendar/x/${key}`,
      `/${key}`,
    ]
    for (const path of [...near, address.replace('.ics', ''), `${CALENDAR}/${key}`]) await ask(path)
    expect(logged.length).toBeGreaterThan(9)
    expect(logged.join('')).not.toContain(key.slice(6, 30))
    expect(logged.join('')).not.toContain(key.slice(-30))
    expect(logged[0]).toContain('"route":"/calendar/:file"')
  })

  test('is limited for itself', async () => {
    const { visitor } = await aVisitor()
    const address = await anAddress(visitor)
    const codes = []
    for (let n = 0; n < 40; n++) codes.push((await ask(address)).statusCode)
    expect(codes[0]).toBe(200)
    expect(codes.at(-1)).toBe(429)
    const second = await aVisitor()
    expect((await ask(await anAddress(second.visitor))).statusCode).toBe(200)
  })

  test('is shown once, renewed with an end of the old one, and turned off', async () => {
    const { ada, visitor } = await aVisitor()
    const first = await anAddress(visitor)
    const key = first.slice('/calendar/'.length)
    expect((await visitor.get(CALENDAR)).body).not.toContain(key.slice(0, 40))
    const second = await anAddress(visitor)
    expect((await ask(first)).statusCode).toBe(404)
    expect((await ask(second)).statusCode).toBe(200)
    const off = await submit(visitor, CALENDAR, `${CALENDAR}/off`)
    expect((await visitor.follow(off)).body).toContain('The address no longer works.')
    expect((await ask(second)).statusCode).toBe(404)
    const { rows } = await school.db.run(sql<{ action: string }>`
      select action from audit_entries
      where school_id = ${school.id} and actor_user_id = ${ada.id} and action like 'session.calendar%' order by id`)
    expect(rows.map(({ action }) => action)).toEqual([
      ...['session.calendar_made', 'session.calendar_made', 'session.calendar_ended'],
    ])
    expect((await visitor.get('/account/history')).body).toContain('Calendar address made')
  })

  test('a forged form, or a thief at a browser that was left open, makes none', async () => {
    const { ada, visitor } = await aVisitor()
    const fields = hiddenFields((await visitor.get(CALENDAR)).body, CALENDAR)
    await visitor.post(CALENDAR, {})
    await visitor.post(CALENDAR, fields, { origin: 'https://evil.example' })
    await ageProof(world, ada)
    const asked = await visitor.post(CALENDAR, fields)
    expect(asked.body).toContain('Confirm that it is you')
    expect((await visitor.get(CALENDAR)).body).toContain('There is no address yet')
  })
})

describe('the address ends', () => {
  const working = async () => {
    const { ada, visitor } = await aVisitor()
    const address = await anAddress(visitor)
    expect((await ask(address)).statusCode).toBe(200)
    return { ada, visitor, address }
  }

  test('with signing out everywhere else, also where that is asked for at another school', async () => {
    const { ada, visitor, address } = await working()
    const other = await world.aSchool()
    await world.aMember(other, ['student'], ada)
    const there = await signedIn(world, other, ada)
    await submit(there, '/account/sessions', '/account/sessions/end-others')
    expect((await ask(address)).statusCode).toBe(404)
    expect((await visitor.get(CALENDAR)).statusCode).toBe(303)
  })

  test('not with signing out in one browser', async () => {
    const { visitor, address } = await working()
    await submit(visitor, '/account', '/sign-out')
    expect((await ask(address)).statusCode).toBe(200)
  })

  test('with a new password', async () => {
    const { visitor, address } = await working()
    await submit(visitor, '/account/password', '/account/password', {
      current_password: PASSWORD,
      new_password: 'another horse of another battery',
      new_password_again: 'another horse of another battery',
    })
    expect((await ask(address)).statusCode).toBe(404)
  })

  test('with the link of a mail that says that it was not them', async () => {
    const { ada, address } = await working()
    const link = await mintNotMeLink(school.db, ada.id)
    expect(await endByNotMeLink(school.db, link ?? '', 'request')).toBe(true)
    expect((await ask(address)).statusCode).toBe(404)
  })

  test('with the role, and does not come back with it', async () => {
    const { ada, address } = await working()
    const setRoles = async (roles: Role[]) =>
      outputOf(await performByCommandLine(school, setPersonRoles, { id: ada.id, roles }))
    await setRoles(['lecturer'])
    expect((await ask(address)).statusCode).toBe(200)
    await setRoles([])
    expect((await ask(address)).statusCode).toBe(404)
    await setRoles(['student'])
    expect((await ask(address)).statusCode).toBe(404)
  })
})
