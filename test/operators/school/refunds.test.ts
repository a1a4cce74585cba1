import { describe, expect, test } from 'vitest'
import { AdminBrowser, errorsIn, wrongFields } from '../../support/admin-browser.ts'
import { aPayment, type PaymentSketch } from '../../support/billing.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { aToken, read } from '../../support/member-api.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const owner = await anOwner(world, school)
const browser = new AdminBrowser(owner)

interface Seen {
  readonly payments: { readonly nodes: readonly Record<string, unknown>[] }
  readonly notifications: { readonly nodes: readonly Record<string, unknown>[] }
}
const SEEN = `payments { nodes { paymentState refundingState refundedAmount refundedAt } }
  notifications { nodes { title body } }`

/** What the member reads about the one payment, and in the inbox. */
async function seenBy(person: TestPerson) {
  const token = await aToken(world, school, person)
  const { viewer } = await read<{ viewer: Seen }>(world, school, token, `{ viewer { ${SEEN} } }`)
  return { payment: viewer.payments.nodes[0], inbox: viewer.notifications.nodes }
}

async function aPaid(sketch: PaymentSketch = {}) {
  const payer = await world.aMember(school)
  const tradeNo = await aPayment(school, payer, { amount: 100_000, ...sketch })
  const { id } = await school.db
    .from('payments')
    .select('id')
    .where('trade_no', '=', tradeNo)
    .executeTakeFirstOrThrow()
  return { payer, tradeNo, path: `/admin/payments/${id}` }
}

const ASKED = { refund: { state: 'requested' } } as const

async function audited(path: string) {
  const rows = await school.db
    .from('audit_entries')
    .select('detail')
    .where('subject', '=', path.split('/').at(-1) ?? '')
    .orderBy('id')
    .execute()
  return rows.map(({ detail }) => detail)
}

describe('a refund that a member asked for', () => {
  test('is approved with two clicks: the member sees it refunded and is told', async () => {
    const { payer, tradeNo, path } = await aPaid(ASKED)
    expect(await browser.page('/admin/payments?refunding_state=requested')).toContain(path)
    const page = await browser.page(path)
    expect(page).toContain('Refund requested')
    expect(page).toContain(`href="${path}/approve-refund"`)
    expect(await browser.page(`${path}/approve-refund`)).toMatch(/moves no money/)
    const { body } = await browser.done(`${path}/approve-refund`)
    expect(body).toContain('The refund is recorded, and the member is told.')
    expect(body).not.toContain('refuse-refund')
    expect(await seenBy(payer)).toMatchObject({
      payment: { paymentState: 'refunded', refundingState: 'refunded', refundedAmount: 100_000 },
      inbox: [
        {
          title: 'Your payment was refunded',
          body: `NT$1,000 of payment ${tradeNo} was refunded.`,
        },
      ],
    })
    expect(await audited(path)).toMatchObject([
      {
        operation: 'payments.refund',
        currency: 'TWD',
        changed: {
          state: ['paid', 'refunded'],
          refunding_state: ['requested', 'refunded'],
          refunded_amount: [0, 100_000],
        },
        via: 'admin_area',
      },
    ])
    expect(await browser.page('/admin/audit')).toContain('<li>refunded: NT$0<')
  })

  test('is approved in part, with a message, and the rest later', async () => {
    const { payer, path } = await aPaid(ASKED)
    await browser.done(`${path}/approve-refund`, { amount: '250', message: 'For the lost week.' })
    const { payment, inbox } = await seenBy(payer)
    expect(payment).toMatchObject({ paymentState: 'paid', refundingState: 'partially_refunded' })
    expect(payment?.refundedAmount).toBe(25_000)
    expect(inbox[0]).toMatchObject({ title: 'A part of your payment was refunded' })
    expect(String(inbox[0]?.body)).toContain('For the lost week.')
    const above = await browser.send(`${path}/refund`, { amount: '750.01' })
    expect(wrongFields(above.body)).toEqual(['amount'])
    await browser.done(`${path}/refund`)
    expect((await seenBy(payer)).payment).toMatchObject({
      refundingState: 'refunded',
      refundedAmount: 100_000,
    })
  })

  test('is refused, and the answer can be undone', async () => {
    const { payer, path } = await aPaid(ASKED)
    await browser.done(`${path}/refuse-refund`, { message: 'The course is finished.' })
    const { payment, inbox } = await seenBy(payer)
    expect(payment).toMatchObject({ paymentState: 'paid', refundingState: 'rejected' })
    expect(inbox[0]).toMatchObject({ title: 'Your refund request was refused' })
    await browser.done(`${path}/undo-refund`)
    expect((await seenBy(payer)).payment).toMatchObject({ refundingState: 'requested' })
    await browser.done(`${path}/approve-refund`)
    await browser.done(`${path}/undo-refund`)
    expect((await seenBy(payer)).payment).toEqual({
      paymentState: 'paid',
      refundingState: 'requested',
      refundedAmount: 0,
      refundedAt: null,
    })
  })

  test('without a request, in two parts, is undone to a payment without a refund: no request appears', async () => {
    const { payer, path } = await aPaid()
    await browser.done(`${path}/refund`, { amount: '250' })
    await browser.done(`${path}/refund`)
    const question = await browser.page(`${path}/undo-refund`)
    expect(question).toContain('the payment is paid without a refund')
    expect(question).toContain('Access that the refund ended stays ended')
    await browser.done(`${path}/undo-refund`)
    const { payment, inbox } = await seenBy(payer)
    expect(payment).toEqual({
      paymentState: 'paid',
      refundingState: 'none',
      refundedAmount: 0,
      refundedAt: null,
    })
    expect(inbox.map(({ title }) => title)).toContain('Your payment was not refunded')
  })

  test('is told to no inbox that is turned off, and to no member who was forgotten', async () => {
    const [muted, gone] = [await aPaid(ASKED), await aPaid(ASKED)]
    const off = { topic: 'payments', channel: 'in_app', enabled: false } as const
    await school.db
      .insert('notification_subscriptions', { user_id: muted.payer.id, ...off })
      .execute()
    await school.db
      .update('school_members')
      .set({ forgotten_at: new Date() })
      .where('user_id', '=', gone.payer.id)
      .execute()
    for (const { path } of [muted, gone]) await browser.done(`${path}/approve-refund`)
    const told = await school.db
      .from('notifications')
      .select('id')
      .where('user_id', 'in', [muted.payer.id, gone.payer.id])
      .where('in_inbox', '=', true)
      .execute()
    expect(told).toEqual([])
  })
})

describe('attacks on refunds', () => {
  test('a part refund above the sum, below zero, of nothing or in half cents is refused', async () => {
    const { payer, path } = await aPaid(ASKED)
    for (const amount of ['1000.01', '-5', '0', '0.001', '1e3', '', '999999999999999']) {
      const answer = await browser.send(`${path}/approve-refund`, { amount })
      expect(answer.statusCode, amount).toBe(422)
      expect(wrongFields(answer.body), amount).toEqual(['amount'])
    }
    expect((await seenBy(payer)).payment).toMatchObject({ refundedAmount: 0 })
    expect(await audited(path)).toEqual([])
  })

  test('a double click, and a replay of the form, refund a part only once', async () => {
    const { payer, path } = await aPaid(ASKED)
    const form = await browser.page(`${path}/approve-refund`)
    const send = () => browser.fill(form, `${path}/approve-refund`, { amount: '300' })
    const answers = await Promise.all([send(), send(), send()])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 409, 409])
    expect((await send()).statusCode).toBe(409)
    const stripped = { form_token: hiddenFields(form, `${path}/approve-refund`).form_token ?? '' }
    const replayed = await owner.post(`${path}/refund`, { ...stripped, amount: '300' })
    expect(replayed.statusCode).toBe(422)
    const { payment, inbox } = await seenBy(payer)
    expect(payment).toMatchObject({ refundedAmount: 30_000 })
    expect(inbox).toHaveLength(1)
  })

  test('two operators who approve and refuse at the same time: one answer counts', async () => {
    const { payer, path } = await aPaid(ASKED)
    const colleague = new AdminBrowser(await anOwner(world, school))
    const [approval, refusal] = [
      await browser.page(`${path}/approve-refund`),
      await colleague.page(`${path}/refuse-refund`),
    ]
    const answers = await Promise.all([
      browser.fill(approval, `${path}/approve-refund`, {}),
      colleague.fill(refusal, `${path}/refuse-refund`, {}),
    ])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 409])
    const late = answers.find(({ statusCode }) => statusCode === 409)
    expect(late?.body).toContain('is not possible as things are now')
    expect((await seenBy(payer)).inbox).toHaveLength(1)
  })

  test('a payment that was never paid, or is refunded, is offered no refund and gets none', async () => {
    for (const sketch of [
      { state: 'pending', type: 'atm' },
      { state: 'failed' },
      { state: 'refunded', refund: { state: 'refunded', amount: 100_000 } },
    ] as const) {
      const { path } = await aPaid(sketch)
      expect(await browser.page(path)).not.toMatch(/href="[^"]*\/(approve-|refuse-)?refund"/)
      const form_token = hiddenFields(await browser.page(path), '/sign-out').form_token ?? ''
      for (const [action, fields] of [
        ['approve-refund', { amount: '1' }],
        ['refuse-refund', {}],
      ] as const) {
        const sent = { form_token, if_version: '1', ...fields }
        const answer = await owner.post(`${path}/${action}`, sent)
        expect([409, 422], action).toContain(answer.statusCode)
      }
      expect(await audited(path)).toEqual([])
    }
  })

  test('a lecturer, the payer and the owner of another school cannot answer', async () => {
    const { payer, path } = await aPaid(ASKED)
    const lecturer = await world.aMember(school, ['lecturer'])
    const visitors = [
      [await signedIn(world, school, lecturer), 403],
      [await signedIn(world, school, payer), 403],
      [await anOwner(world, await world.aSchool()), 404],
    ] as const
    for (const [visitor, status] of visitors) {
      const form_token =
        hiddenFields((await visitor.get('/account')).body, '/sign-out').form_token ?? ''
      for (const action of ['approve-refund', 'refund', 'refuse-refund', 'undo-refund']) {
        expect((await visitor.get(`${path}/${action}`)).statusCode).toBe(status)
        const sent = { form_token, if_version: '1', amount: '1' }
        expect((await visitor.post(`${path}/${action}`, sent)).statusCode).toBe(status)
      }
    }
    expect((await seenBy(payer)).payment).toMatchObject({ refundingState: 'requested' })
  })

  test('markup in the message reaches the inbox as text, and a null character is refused', async () => {
    const { payer, path } = await aPaid(ASKED)
    const bad = await browser.send(`${path}/refuse-refund`, { message: 'a\u0000b' })
    expect(errorsIn(bad.body)).toEqual(['Remove the null character.'])
    await browser.done(`${path}/refuse-refund`, { message: '<script>alert(1)</script>' })
    expect(String((await seenBy(payer)).inbox[0]?.body)).toContain('<script>')
    const { id } = await school.db
      .from('notifications')
      .select('id')
      .where('user_id', '=', payer.id)
      .executeTakeFirstOrThrow()
    expect(await browser.page(`/admin/notifications/${id}`)).not.toContain('<script>')
  })
})
