import type { FastifyInstance } from 'fastify'
import {
  adjustmentsOfPayments,
  findPaymentOf,
  linesOfPayments,
  type MemberPayment,
  type PaymentAdjustment,
  type PaymentState,
  type PaymentType,
  paymentsOf,
  paymentsToPay,
  type RefundingState,
} from '../../../domain/commerce/payments-of-member.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { type Fact, Facts } from '../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus } from '../../../foundation/html/copyable.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, PageHead, Panel, type Tone } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import type { SiteFrame } from '../frame/layout.tsx'
import { type ListPage, readListPage } from '../frame/list-parts.tsx'
import { memberPage } from '../frame/member-page.tsx'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { memberVisit } from '../frame/visit.ts'
import { formatMoney } from '../frame/words.ts'
import { memberList } from './lists.tsx'
import {
  HowToPay,
  MOST_DUE,
  PaymentDue,
  Purpose,
  remaining,
  type ShownPayment,
} from './payment-due.tsx'
import { Row, Title } from './rows.tsx'

/** What a member paid, has to pay, and how. */
export function addPaymentRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(MEMBER_PATHS.payments, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session } = visit
    const { schoolDb: db } = request
    const { id } = session.person
    const [found, due] = await Promise.all([
      readListPage(request, 'payments', (range) => paymentsOf(db, id, range)),
      paymentsToPay(db, id, MOST_DUE + 1),
    ])
    const all = await withLines(db, [...due, ...found.rows])
    const page = paymentsPage({
      ...visit.frame(),
      page: { ...found, rows: all.slice(due.length) },
      toPay: all.slice(0, due.length),
      timeZone: request.school.timeZone,
      now: session.readAt,
    })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })

  app.get(`${MEMBER_PATHS.payments}/:id`, async (request, reply) => {
    const visit = await memberVisit(context, request, reply)
    const { session } = visit
    const { schoolDb: db } = request
    const { id } = request.params as { id: string }
    const found = isUuid(id) ? await findPaymentOf(db, session.person.id, id) : undefined
    if (found === undefined) throw new RequestRefusedError(404, 'You have no such payment.')
    const [[payment], adjustments] = await Promise.all([
      withLines(db, [found]),
      adjustmentsOfPayments(db, [found.id]),
    ])
    const page = paymentPage({
      ...visit.frame(),
      payment: payment ?? { ...found, lines: [] },
      adjustments: adjustments.get(found.id) ?? [],
      contactEmail: request.school.contactEmail,
      timeZone: request.school.timeZone,
      now: session.readAt,
    })
    return visit.scriptedPage(COPY_SCRIPT, page)
  })
}

/** The payments of a member with what each is for. */
export async function withLines(
  db: SchoolDb,
  payments: readonly MemberPayment[],
): Promise<ShownPayment[]> {
  if (payments.length === 0) return []
  const ids = payments.map(({ id }) => id)
  const lines = await linesOfPayments(db, ids)
  return payments.map((payment) => ({ ...payment, lines: lines.get(payment.id) ?? [] }))
}

const STATES: Record<PaymentState, [words: string, tone: Tone]> = {
  pending: ['To pay', 'warning'],
  paid: ['Paid', 'good'],
  failed: ['Failed', 'bad'],
  expired: ['Not paid in time', 'over'],
  refunded: ['Refunded', 'returned'],
}

const REFUNDS: Record<RefundingState, [words: string, tone: Tone]> = {
  none: ['', 'plain'],
  requested: ['Refund requested', 'waiting'],
  partially_refunded: ['Partly refunded', 'returned'],
  refunded: ['Refunded', 'returned'],
  rejected: ['Refund declined', 'over'],
}

const METHODS: Record<PaymentType, string> = {
  credit_card: 'Card',
  atm: 'Bank transfer',
  convenience_store: 'At a store',
  free: 'Nothing to pay',
}

function States({ payment }: { payment: MemberPayment }) {
  const [words, tone] = STATES[payment.paymentState]
  const [refund, refundTone] = REFUNDS[payment.refundingState]
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      {refund !== '' && payment.paymentState !== 'refunded' && (
        <Badge tone={refundTone}>{refund}</Badge>
      )}
    </>
  )
}

interface PaymentsProps extends SiteFrame {
  page: ListPage<ShownPayment>
  toPay: readonly ShownPayment[]
  timeZone: string
  now: Date
}

export function paymentsPage(props: PaymentsProps): string {
  const { toPay, timeZone, now } = props
  return memberList({
    ...props,
    title: 'Your payments',
    path: MEMBER_PATHS.payments,
    script: toPay.length > 0 ? COPY_SCRIPT : undefined,
    above: props.page.isFirst && (
      <Panel title="To pay">
        {toPay.length === 0 ? (
          <p>You have nothing to pay.</p>
        ) : (
          <ul class="rows">
            {toPay.slice(0, MOST_DUE).map((payment) => (
              <PaymentDue payment={payment} timeZone={timeZone} now={now} />
            ))}
          </ul>
        )}
        {toPay.length > MOST_DUE && (
          <p class="row-note">There is more to pay. It is in the list below.</p>
        )}
        <CopyStatus />
      </Panel>
    ),
    listTitle: 'All payments',
    empty: <p>No payments yet. What you buy from the school appears here.</p>,
    row: (payment) => <PaymentRow payment={payment} timeZone={timeZone} />,
  })
}

function PaymentRow({ payment, timeZone }: { payment: ShownPayment; timeZone: string }) {
  return (
    <Row
      title={
        <>
          <a href={`${MEMBER_PATHS.payments}/${payment.id}`}>
            <Purpose lines={payment.lines} />
          </a>
          <States payment={payment} />
        </>
      }
      notes={
        <p class="row-note">
          <Moment at={payment.paidAt ?? payment.createdAt} timeZone={timeZone} /> · number{' '}
          <bdi>{plainText(payment.tradeNo, 100)}</bdi>
        </p>
      }
    >
      <p class="amount">{formatMoney(payment.amount, payment.currency)}</p>
    </Row>
  )
}

interface PaymentProps extends SiteFrame {
  payment: ShownPayment
  adjustments: readonly PaymentAdjustment[]
  contactEmail: string | undefined
  timeZone: string
  now: Date
}

const NEXT: Readonly<Record<'expired' | 'failed', Readonly<Record<PaymentType | 'none', string>>>> =
  {
    expired: {
      credit_card:
        'The checkout was not finished in time, and your card was not charged. Begin again at the checkout of the school if you still want it.',
      atm: 'The time to pay is over: do not transfer money to this account any more. Ask the school for a new account number if you still want to pay.',
      convenience_store:
        'The time to pay is over, and the code no longer works at the counter. Ask the school for a new one if you still want to pay.',
      free: 'This purchase was not finished in time. Begin again if you still want it.',
      none: 'No way to pay was chosen in time, and nothing was charged. Begin again at the checkout of the school if you still want it.',
    },
    failed: {
      credit_card:
        'The bank did not accept the card, and nothing was charged. Try again with another card, or ask your bank for the reason.',
      atm: 'This payment was ended: do not transfer money to this account any more. If you have paid already, tell the school the number of this payment.',
      convenience_store:
        'This payment was ended, and the code no longer works. If you have paid already, tell the school the number of this payment.',
      free: 'This purchase did not succeed. Try again, or ask the school.',
      none: 'This payment was ended before a way to pay was chosen. Nothing was charged.',
    },
  }

/** What a member can do about a payment that did not succeed. */
function WhatNext({ payment, contactEmail }: Pick<PaymentProps, 'payment' | 'contactEmail'>) {
  const { paymentState, paymentType } = payment
  if (paymentState !== 'expired' && paymentState !== 'failed') return null
  return (
    <Panel title="What you can do">
      <p>{NEXT[paymentState][paymentType ?? 'none']}</p>
      {contactEmail !== undefined && (
        <p>
          The school: <a href={`mailto:${encodeURI(contactEmail)}`}>{contactEmail}</a>
        </p>
      )}
    </Panel>
  )
}

/** One payment: what it is for, how to pay it, and what became of it. */
export function paymentPage(props: PaymentProps): string {
  const { payment, timeZone, now } = props
  const isDue = payment.paymentState === 'pending'
  return memberPage({
    ...props,
    title: 'Payment',
    script: isDue && payment.codeNo !== null ? COPY_SCRIPT : undefined,
    children: (
      <>
        <PageHead
          title={<Purpose lines={payment.lines} />}
          up={{ url: MEMBER_PATHS.payments, label: 'Your payments' }}
          lead={
            <span class="badges">
              <States payment={payment} />
            </span>
          }
        />
        {isDue && (
          <Panel title="How to pay">
            <p>
              <strong>{formatMoney(payment.amount, payment.currency)}</strong>
              {payment.expiredAt !== null && (
                <>
                  {' '}
                  until <Moment at={payment.expiredAt} timeZone={timeZone} />,{' '}
                  <strong>{remaining(payment.expiredAt, now)}</strong>
                </>
              )}
            </p>
            <HowToPay payment={payment} />
            <CopyStatus />
          </Panel>
        )}
        <WhatNext payment={payment} contactEmail={props.contactEmail} />
        <Lines {...props} />
        <PaymentFacts {...props} />
      </>
    ),
  })
}

function Lines({ payment, adjustments }: PaymentProps) {
  const { lines, currency } = payment
  return (
    <Panel title="What this payment is for">
      <ul class="rows amounts">
        {lines.map((line) => (
          <li>
            <p>
              <Title text={line.title} fallback="A purchase" />
              {line.quantity > 1 && ` × ${line.quantity}`}
            </p>
            <p class="amount">{formatMoney(line.amount, currency)}</p>
          </li>
        ))}
        {adjustments.map((line) => (
          <li>
            <p>
              {line.kind === 'coupon' ? 'Coupon ' : ''}
              <Title text={line.label} fallback="Offer" />
            </p>
            <p class="amount">{formatMoney(line.amount, currency)}</p>
          </li>
        ))}
        <li>
          <p>
            <strong>Total</strong>
          </p>
          <p class="amount">
            <strong>{formatMoney(payment.amount, currency)}</strong>
          </p>
        </li>
      </ul>
    </Panel>
  )
}

function PaymentFacts({ payment, timeZone }: PaymentProps) {
  const { installment, invoice, currency } = payment
  const time = (at: Date) => <Moment at={at} timeZone={timeZone} />
  const facts: Fact[] = [
    ['Payment number', <bdi>{plainText(payment.tradeNo, 100)}</bdi>],
    ['Method', payment.paymentType === null ? 'Not chosen' : METHODS[payment.paymentType]],
    ['Started', time(payment.createdAt)],
    payment.paidAt !== null && ['Paid', time(payment.paidAt)],
    installment !== null && [
      'Installments',
      `${installment.count} × ${formatMoney(installment.amount, currency)}`,
    ],
    payment.refundRequestedAt !== null && ['Refund requested', time(payment.refundRequestedAt)],
    payment.refundedAt !== null && [
      'Refunded',
      <>
        {formatMoney(payment.refundedAmount, currency)}, {time(payment.refundedAt)}
      </>,
    ],
    invoice !== null && [
      'Invoice',
      invoice.url === null ? (
        <bdi>{plainText(invoice.number, 100)}</bdi>
      ) : (
        <a href={invoice.url}>
          <bdi>{plainText(invoice.number, 100)}</bdi>
        </a>
      ),
    ],
  ]
  return (
    <Panel title="Details">
      <Facts rows={facts} />
    </Panel>
  )
}
