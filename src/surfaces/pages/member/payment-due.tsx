import type { MemberPayment, PaymentLine } from '../../../domain/commerce/payments-of-member.ts'
import { Copyable } from '../../../foundation/html/copyable.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { count, formatMoney } from '../frame/words.ts'
import { Title } from './rows.tsx'

/**
 * How many unpaid payments are shown with their codes. Pages get one more, to say that there are
 * others.
 */
export const MOST_DUE = 5

export interface ShownPayment extends MemberPayment {
  lines: readonly PaymentLine[]
}

/** What the payment is for, in one line. */
export function Purpose({ lines }: { lines: readonly PaymentLine[] }) {
  const [first, ...others] = lines
  if (first === undefined) return <>A payment</>
  return (
    <>
      <Title text={first.title} fallback="A purchase" />
      {others.length > 0 && ` and ${others.length}\u00a0more`}
    </>
  )
}

interface PaymentProps {
  payment: ShownPayment
  timeZone: string
  now: Date
}

/** An unpaid payment, with everything that is needed to pay it. */
export function PaymentDue({ payment, timeZone, now }: PaymentProps) {
  return (
    <li>
      <div class="row-words whole">
        <p class="row-title">
          <span>
            <Purpose lines={payment.lines} />
          </span>
        </p>
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
        <p class="row-note">
          <a href={`${MEMBER_PATHS.payments}/${payment.id}`}>
            Payment <bdi>{plainText(payment.tradeNo, 100)}</bdi>
          </a>
        </p>
      </div>
    </li>
  )
}

export function HowToPay({ payment }: { payment: MemberPayment }) {
  const { paymentType, codeNo, id } = payment
  const place = plainText(payment.bankName ?? '', 100)
  const code = plainText(payment.bankCode ?? '', 20)
  if (paymentType === 'credit_card') {
    return <p>By card. The school has not received the payment yet.</p>
  }
  if (codeNo === null) {
    return <p>The school has not sent you an account or a code yet. Ask the school for it.</p>
  }
  return (
    <>
      {paymentType === 'atm' ? (
        <p>
          Transfer it to this account
          {place !== '' && (
            <>
              {' '}
              at <bdi>{place}</bdi>
            </>
          )}
          {code !== '' && ` (bank code ${code})`}:
        </p>
      ) : (
        <p>
          Pay at the counter
          {place !== '' && (
            <>
              {' '}
              of <bdi>{place}</bdi>
            </>
          )}
          {code !== '' && ` (store code ${code})`} with this code:
        </p>
      )}
      <Copyable id={`code-${id}`} what={paymentType === 'atm' ? 'the account' : 'the code'} large>
        {plainText(codeNo, 64)}
      </Copyable>
    </>
  )
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** "3 days left", "5 hours left". */
export function remaining(until: Date, now: Date): string {
  const left = until.getTime() - now.getTime()
  if (left >= DAY) return `${count(Math.floor(left / DAY), 'day', 'days')} left`
  if (left >= HOUR) return `${count(Math.floor(left / HOUR), 'hour', 'hours')} left`
  return left > 0 ? 'less than an hour left' : 'too late'
}
