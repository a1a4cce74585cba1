import { describe, expect, test } from 'vitest'
import { countUnreadOf } from '../../../src/domain/notifications/inbox.ts'
import { aPayment } from '../../support/billing.ts'
import type { Visitor } from '../../support/browser-like.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { aMeeting, aService, hoursFromNow } from '../../support/consulting.ts'
import { aNotification } from '../../support/inbox.ts'
import {
  aCourse,
  anEnrollment,
  aProductOf,
  aRegistration,
  daysFromNow,
} from '../../support/learning.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const INBOX = '/account/inbox'

const wordsOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

async function aVisitor(): Promise<{ ada: TestPerson; visitor: Visitor }> {
  const ada = await world.aMember(school)
  return { ada, visitor: await signedIn(world, school, ada) }
}

/** The titles on all pages of a list, following the link to the next one. */
async function titlesOf(visitor: Visitor, path: string): Promise<string[][]> {
  const pages: string[][] = []
  let url: string | undefined = path
  while (url !== undefined) {
    const { body, statusCode } = await visitor.get(url)
    expect(statusCode).toBe(200)
    const [, list = ''] = /<ul class="rows">(.*)<\/ul><\/section>/s.exec(body) ?? []
    pages.push([...list.matchAll(/<bdi>No\. (\d+)/g)].map(([, number = '']) => number))
    url = /href="([^"]+)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
  }
  return pages
}

const numbers = (from: number, to: number) =>
  Array.from({ length: Math.abs(from - to) + 1 }, (_, n) => `${from + (from < to ? n : -n)}`)

describe('the lists of a member', () => {
  test('show every row once, page by page, the latest first', async () => {
    const { ada, visitor } = await aVisitor()
    for (let n = 1; n <= 23; n++) {
      const at = daysFromNow(n - 40)
      const course = await aCourse(school, [[{}]], { title: `No. ${n}` })
      await anEnrollment(school, ada, course, { enrolledAt: at })
      await aPayment(school, ada, { createdAt: at, lines: [{ title: `No. ${n}`, amount: 1 }] })
      await aProductOf(school, ada, { grantedAt: at, title: `No. ${n}` })
    }
    for (const path of ['/account/courses', '/account/payments', '/account/downloads']) {
      expect(await titlesOf(visitor, path), path).toEqual([numbers(23, 4), numbers(3, 1)])
    }
  })

  test('have bookings to come, the next first, and past ones, the latest first', async () => {
    const { ada, visitor } = await aVisitor()
    const service = await aService(school, [])
    for (let n = -22; n <= 22; n++) {
      const start = n === 0 ? hoursFromNow(-0.5) : hoursFromNow(n * 24)
      await aMeeting(school, { service, seats: [ada], title: `No. ${Math.abs(n)}`, start })
    }
    const toCome = await titlesOf(visitor, '/account/bookings')
    expect(toCome).toEqual([['0', ...numbers(1, 19)], numbers(20, 22)])
    const past = await titlesOf(visitor, '/account/bookings?when=past')
    expect(past).toEqual([numbers(1, 20), numbers(21, 22)])
  })

  test('a made-up cursor shows the first page', async () => {
    const { ada, visitor } = await aVisitor()
    await aRegistration(school, ada)
    for (const cursor of ['x', '%00', 'eyJhIjoxfQ', '..%2f..', "'%20or%201=1--"]) {
      const { statusCode, body } = await visitor.get(`/account/events?after=${cursor}`)
      expect(statusCode).toBe(200)
      expect(body).toContain('An event')
    }
  })

  test('say what to do where there is nothing', async () => {
    const { visitor } = await aVisitor()
    for (const [path, words] of [
      ['courses', 'href="/courses">Find a course'],
      ['bookings', 'No booking ahead'],
      ['payments', 'You have nothing to pay'],
      ['inbox', 'No messages'],
      ['events', 'href="/events">See what the school has coming up'],
      ['downloads', 'Nothing to download yet'],
    ] as const) {
      expect((await visitor.get(`/account/${path}`)).body, path).toContain(words)
    }
  })

  test('need a sign-in and lead back after it', async () => {
    const { visitor } = await aVisitor()
    await submit(visitor, '/account', '/sign-out')
    const answer = await visitor.get('/account/payments?after=abc')
    expect(answer.headers.location).toBe('/sign-in?return_to=%2Faccount%2Fpayments%3Fafter%3Dabc')
  })
})

describe('a payment', () => {
  test('says what it is for, how much is left to pay, until when and how', async () => {
    const { ada, visitor } = await aVisitor()
    await aPayment(school, ada, {
      ...{ type: 'atm', state: 'pending', amount: 90_000 },
      bank: { code: '822', name: 'CTBC Bank', codeNo: '9103522175887271' },
      expiresAt: hoursFromNow(49),
      lines: [{ title: 'Watercolour', amount: 100_000 }],
      coupon: { code: 'SUMMER10', off: 10_000 },
    })
    const { body } = await visitor.get('/account')
    const [, link = ''] = /href="(\/account\/payments\/[^"]+)"/.exec(body) ?? []
    const page = await visitor.get(link)
    const words = wordsOf(page.body)
    expect(words).toMatch(/How to pay NT\$900 until .*2 days left/)
    expect(words).toMatch(/CTBC Bank \(bank code 822\): 9103522175887271 Copy/)
    expect(words).toMatch(/Watercolour NT\$1,000 Coupon SUMMER10 −NT\$100 Total NT\$900/)
  })

  test('a paid or expired one shows no code to pay with', async () => {
    const { ada, visitor } = await aVisitor()
    const bank = { code: '822', name: 'CTBC Bank', codeNo: '9103522175887271' }
    await aPayment(school, ada, { type: 'atm', bank, invoice: 'AB-1' })
    await aPayment(school, ada, { type: 'atm', state: 'pending', bank, expiresAt: daysFromNow(-1) })
    const { body } = await visitor.get('/account/payments')
    const links = [...body.matchAll(/href="(\/account\/payments\/[^"]+)"/g)]
    expect(links).toHaveLength(2)
    for (const [, link = ''] of links) {
      expect((await visitor.get(link)).body).not.toContain('9103522175887271')
    }
  })

  test.each([
    ['credit_card', 'expired', 'your card was not charged'],
    ['atm', 'expired', 'do not transfer money to this account'],
    ['convenience_store', 'expired', 'no longer works at the counter'],
    ['credit_card', 'failed', 'The bank did not accept the card'],
    ['atm', 'failed', 'do not transfer money to this account'],
  ] as const)('by %s that is %s says what to do next', async (type, state, words) => {
    const { ada, visitor } = await aVisitor()
    const ended = { state: 'pending', expiresAt: daysFromNow(-1) } as const
    await aPayment(school, ada, state === 'failed' ? { type, state } : { type, ...ended })
    const { body } = await visitor.get('/account/payments')
    const link = /href="(\/account\/payments\/[^"]+)"/.exec(body)?.[1] ?? ''
    expect(wordsOf((await visitor.get(link)).body)).toContain(words)
  })

  test('of another member, of another school or made up is not found', async () => {
    const { ada } = await aVisitor()
    const other = await world.aSchool()
    await aPayment(school, ada)
    const mallory = await world.aMember(school)
    await world.aMember(other, ['student'], mallory)
    await aPayment(other, mallory)
    const ids = await world.database.db
      .selectFrom('payments')
      .select('id')
      .where('user_id', 'in', [ada.id, mallory.id])
      .execute()
    expect(ids).toHaveLength(2)
    const visitor = await signedIn(world, school, mallory)
    for (const id of [...ids.map((row) => row.id), 'x', '%00', '..%2fsettings']) {
      const answer = await visitor.get(`/account/payments/${id}`)
      expect(answer.statusCode, id).toBe(404)
      expect(answer.body).toContain('You have no such payment.')
    }
  })
})

describe('the inbox', () => {
  test('marks a message as read and as unread, and comes back to its page', async () => {
    const { ada, visitor } = await aVisitor()
    for (let n = 1; n <= 21; n++) await aNotification(school, ada, { createdAt: daysFromNow(-n) })
    const first = (await visitor.get(INBOX)).body
    expect(first).toContain('21 messages unread.')
    const next = /href="([^"]+)" rel="next"/.exec(first)?.[1] ?? ''
    const second = (await visitor.get(next)).body
    const [, read = '', id] = /action="(\/account\/inbox\/([^/]+)\/read)"/.exec(second) ?? []
    const done = await visitor.post(read, hiddenFields(second, read))
    expect(done.headers.location).toBe(`${next}#message-${id}`)
    expect(await countUnreadOf(school.db, ada.id)).toBe(20)
    const unread = read.replace(/read$/, 'unread')
    await visitor.post(unread, hiddenFields((await visitor.get(next)).body, unread))
    expect(await countUnreadOf(school.db, ada.id)).toBe(21)
    const all = await submit(visitor, INBOX, `${INBOX}/read-all`)
    expect((await visitor.follow(all)).body).toContain('Everything is marked as read.')
    expect(await countUnreadOf(school.db, ada.id)).toBe(0)
  })

  test('a forged place to come back to is ignored', async () => {
    const { ada, visitor } = await aVisitor()
    const id = await aNotification(school, ada)
    const path = `${INBOX}/${id}/read`
    const fields = hiddenFields((await visitor.get(INBOX)).body, path)
    const done = await visitor.post(path, { ...fields, after: 'x\r\nset-cookie: a=b' })
    expect(done.headers.location).toBe(`${INBOX}#message-${id}`)
  })

  test('a member cannot mark the messages of another member or at another school', async () => {
    const { ada } = await aVisitor()
    const other = await world.aSchool()
    const mallory = await world.aMember(school)
    await world.aMember(other, ['student'], mallory)
    const foreign = [await aNotification(school, ada), await aNotification(other, mallory)]
    await aNotification(school, mallory)
    const visitor = await signedIn(world, school, mallory)
    const { form_token = '' } = hiddenFields((await visitor.get(INBOX)).body, '/sign-out')
    for (const id of [...foreign, 'x', '%00']) {
      for (const action of ['read', 'unread']) {
        const answer = await visitor.post(`${INBOX}/${id}/${action}`, { form_token })
        expect(answer.headers.location).toBe(`${INBOX}?done=gone`)
      }
    }
    await submit(visitor, INBOX, `${INBOX}/read-all`)
    expect(await countUnreadOf(school.db, ada.id)).toBe(1)
    expect(await countUnreadOf(other.db, mallory.id)).toBe(1)
  })

  test('a post without the token of the form, or from another site, changes nothing', async () => {
    const { ada, visitor } = await aVisitor()
    const id = await aNotification(school, ada)
    const fields = hiddenFields((await visitor.get(INBOX)).body, `${INBOX}/${id}/read`)
    const { form_token: _, ...bare } = fields
    await visitor.post(`${INBOX}/${id}/read`, bare)
    await visitor.post(`${INBOX}/${id}/read`, fields, { origin: 'https://evil.example' })
    await visitor.post(`${INBOX}/read-all`, {})
    expect(await countUnreadOf(school.db, ada.id)).toBe(1)
  })
})
