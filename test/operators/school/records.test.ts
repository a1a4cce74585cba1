import { describe, expect, test } from 'vitest'
import { AdminBrowser, wrongFields } from '../../support/admin-browser.ts'
import { aCourse, anEnrollment, daysFromNow } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { anOwner } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const browser = new AdminBrowser(await anOwner(world, school))

/** What a member reads about themselves through the Member API. */
async function seenBy<Field>(person: TestPerson, selection: string): Promise<Field> {
  const token = await aToken(world, school, person)
  return (await read<{ viewer: Field }>(world, school, token, `{ viewer { ${selection} } }`)).viewer
}

interface Inbox {
  readonly notifications: { readonly nodes: readonly { readonly title: string }[] }
}
const INBOX = 'notifications { nodes { title body url readAt } }'

describe('a record that an operator adds', () => {
  test('a notification is in the inbox of the member', async () => {
    const ada = await world.aMember(school)
    const member = await browser.page(`/admin/members/${ada.id}`)
    const link = `/admin/notifications/new?member_id=${encodeURIComponent(ada.email)}`
    expect(member).toContain(`href="${link}"`)
    expect(await browser.page(link)).toContain(`value="${ada.email}"`)
    const { body } = await browser.done('/admin/notifications/new', {
      member_id: ada.email,
      title: 'The hall is closed',
      url: '/account',
    })
    expect(body).toContain('Unread')
    expect((await seenBy<Inbox>(ada, INBOX)).notifications.nodes).toMatchObject([
      { title: 'The hall is closed', body: '', url: `${school.origin}/account`, readAt: null },
    ])
  })

  test('an announcement reaches the students who have the course now and did not switch it off', async () => {
    const course = await aCourse(school)
    const [has, muted, had, never] = [
      await world.aMember(school),
      await world.aMember(school),
      await world.aMember(school),
      await world.aMember(school),
    ]
    await anEnrollment(school, has, course)
    await anEnrollment(school, muted, course)
    await anEnrollment(school, had, course, { expiresAt: daysFromNow(-1) })
    const off = { topic: 'announcements', channel: 'in_app', enabled: false } as const
    await school.db.insert('notification_subscriptions', { user_id: muted.id, ...off }).execute()
    const sent = await browser.done(`/admin/courses/${course.id}/announce`, {
      title: 'New lectures',
      body: 'Two of them.',
    })
    expect(sent.body).toContain('The announcement is sent.')
    const titles = async (person: TestPerson) =>
      (await seenBy<Inbox>(person, INBOX)).notifications.nodes.map(({ title }) => title)
    expect(await titles(has)).toEqual(['New lectures'])
    for (const person of [muted, had, never]) expect(await titles(person)).toEqual([])
    const bad = await browser.send(`/admin/courses/${course.id}/announce`, { title: '' })
    expect(wrongFields(bad.body)).toEqual(['title'])
    const elsewhere = new AdminBrowser(await anOwner(world, await world.aSchool()))
    expect((await elsewhere.get(`/admin/courses/${course.id}/announce`)).statusCode).toBe(404)
  })

  test('a payment is in the billing history of the member, and its order in the list of orders', async () => {
    const ada = await world.aMember(school)
    const paid = {
      member_id: ada.email,
      order_number: 'CASH-1',
      trade_no: 'CASH-1-1',
      amount: '25.50',
      currency: 'USD',
      state: 'paid',
      paid_at: '2026-03-01T09:00',
    }
    const { path, body } = await browser.done('/admin/payments/new', paid)
    expect(body).toContain('$25.50')
    expect(await browser.page('/admin/orders')).toContain('CASH-1')
    const order = /\/admin\/orders\/[0-9a-f-]{36}/.exec(body)?.[0] ?? ''
    expect(await browser.page(order)).toContain(`href="${path}"`)
    for (const payer of [ada.email, ada.name]) {
      const found = await browser.page(`/admin/payments?search=${encodeURIComponent(payer)}`)
      expect(found, payer).toContain(`href="${path}"`)
    }
    const seen = await seenBy<{ payments: { nodes: unknown[] } }>(
      ada,
      'payments { nodes { tradeNo amount paymentState paidAt refundedAmount } }',
    )
    expect(seen.payments.nodes).toEqual([
      {
        tradeNo: 'CASH-1-1',
        amount: 2550,
        paymentState: 'paid',
        paidAt: Date.parse('2026-03-01T09:00:00Z') / 1000,
        refundedAmount: 0,
      },
    ])
    const refunded = { refunding_state: 'partially_refunded', refunded_amount: '5' }
    const again = await browser.done('/admin/payments/new', { ...paid, ...refunded })
    expect(again.path).toBe(path)
    expect(again.body).toContain('$5.00')
    const wrong = { ...paid, state: 'pending' }
    expect(wrongFields((await browser.send('/admin/payments/new', wrong)).body)).toEqual([
      'paid_at',
    ])
    const other = await world.aMember(school)
    const stolen = await browser.send('/admin/payments/new', { ...paid, member_id: other.email })
    expect(wrongFields(stolen.body)).toEqual(['member_id'])
  })

  test('a lecture that is marked as read is so for the student, and can be unmarked', async () => {
    const ada = await world.aMember(school)
    const course = await aCourse(school, [[{ title: 'One' }, { title: 'Two' }]])
    const enrollment = await anEnrollment(school, ada, course)
    const [one = ''] = course.lectures[0] ?? []
    const mark = `/admin/enrollments/${enrollment}/mark`
    expect(await browser.page(mark)).toContain('One (unread)')
    const states = async () => {
      const seen = await seenBy<{
        enrolledCourses: { nodes: { sections: { lectures: { state: string }[] }[] }[] }
      }>(ada, 'enrolledCourses { nodes { sections { lectures { state } } } }')
      return seen.enrolledCourses.nodes[0]?.sections[0]?.lectures.map(({ state }) => state)
    }
    await browser.done(mark, { lecture_id: one, state: 'completed' })
    expect(await states()).toEqual(['completed', 'unread'])
    await browser.done(mark, { lecture_id: one, state: 'unread' })
    expect(await states()).toEqual(['unread', 'unread'])
    const foreign = await aCourse(school, [[{}]])
    const bad = { lecture_id: foreign.lectures[0]?.[0] ?? '', state: 'read' }
    expect(wrongFields((await browser.send(mark, bad)).body)).toEqual(['lecture_id'])
  })
})
