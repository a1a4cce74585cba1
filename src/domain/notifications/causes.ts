import { z } from 'zod'
import { currencyOf } from '../../foundation/text/currency.ts'
import { timeInWords } from '../schools/school.ts'

/** What members choose between when they turn notifications off. */
export const TOPICS = [
  'announcements',
  'comments',
  'courses',
  'events',
  'meetings',
  'payments',
] as const
export type Topic = (typeof TOPICS)[number]

/** What a member reads. */
export interface Said {
  readonly title: string
  /** May be empty. Shown as plain text. */
  readonly body: string
}

interface Cause<F extends object> {
  readonly topic: Topic
  /** By email: as soon as possible, or within ten minutes with what else there is on the topic. */
  readonly mailed: 'at once' | 'grouped'
  /** When it is sent, for operators and for the documentation. */
  readonly when: string
  /** What the row holds. It is said when it is read, in whole sentences. */
  readonly facts: z.ZodType<F>
  readonly say: (facts: F, place: Place) => Said
  /** A path of the school. Facts with a `path` lead there instead. */
  readonly url?: string
}

/** Times are said on the clocks of the school. */
interface Place {
  readonly timeZone: string
}

const cause = <F extends object>(described: Cause<F>): Cause<F> => described

const at = z.iso.datetime({ offset: true })
const money = { amount: z.int(), currency: z.string() }
const payment = { ...money, trade_no: z.string() }
const meeting = z.object({ meeting: z.string(), starts_at: at })
const event = z.object({ event: z.string(), starts_at: at })
/** What the operator wrote for the member. */
const words = z.string()

const sum = ({ amount, currency }: { amount: number; currency: string }) =>
  currencyOf(currency).format(amount)
const when = (time: string, { timeZone }: Place) => timeInWords(new Date(time), timeZone)
/** Below the facts, as a paragraph of its own. */
const withWords = (facts: string, written: string) =>
  written.trim() === '' ? facts : `${facts}\n\n${written.trim()}`

/**
 * Everything that members are told without an operator who writes it. The key is the kind of the
 * row, which apps read.
 */
export const CAUSES = {
  payment_code: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A payment gets the code or the account number to pay to.',
    facts: z.object({ ...payment, until: at.nullable() }),
    say: ({ until, ...facts }, place) => ({
      title: 'How to pay',
      body:
        until === null
          ? `Your account shows where to pay the ${sum(facts)} of payment ${facts.trade_no}.`
          : `Your account shows where to pay the ${sum(facts)} of payment ${facts.trade_no}, until ${when(until, place)}.`,
    }),
    url: '/account',
  }),
  payment_ends_soon: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A payment that is not paid expires in three days.',
    facts: z.object({ ...payment, until: at }),
    say: ({ until, ...facts }, place) => ({
      title: 'A payment is due in three days',
      body: `Payment ${facts.trade_no} of ${sum(facts)} can be paid until ${when(until, place)}.`,
    }),
    url: '/account',
  }),
  payment_expired: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A payment expires that was not paid.',
    facts: z.object(payment),
    say: (facts) => ({
      title: 'A payment has expired',
      body: `Payment ${facts.trade_no} of ${sum(facts)} was not paid in time. If you paid it, or still want to, ask the school.`,
    }),
    url: '/account',
  }),
  payment_received: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A payment is marked as paid.',
    facts: z.object({ ...money, order_number: z.string(), words }),
    say: (facts) => ({
      title: 'Your payment arrived',
      body: withWords(
        `${sum(facts)} for order ${facts.order_number} is paid. Thank you.`,
        facts.words,
      ),
    }),
    url: '/account',
  }),
  payment_due: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A payment that was marked as paid by mistake is open again.',
    facts: z.object({ ...payment, words }),
    say: (facts) => ({
      title: 'Your payment is still open',
      body: withWords(
        `Payment ${facts.trade_no} of ${sum(facts)} was marked as paid by mistake.`,
        facts.words,
      ),
    }),
    url: '/account',
  }),
  refund_completed: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A payment is refunded, as a whole or in part.',
    facts: z.object({ ...payment, is_whole: z.boolean(), words }),
    say: (facts) => ({
      title: facts.is_whole ? 'Your payment was refunded' : 'A part of your payment was refunded',
      body: withWords(`${sum(facts)} of payment ${facts.trade_no} was refunded.`, facts.words),
    }),
    url: '/account',
  }),
  refund_refused: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A request for a refund is refused.',
    facts: z.object({ ...payment, words }),
    say: (facts) => ({
      title: 'Your refund request was refused',
      body: withWords(`Payment ${facts.trade_no} of ${sum(facts)} is not refunded.`, facts.words),
    }),
    url: '/account',
  }),
  refund_requested: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'The answer to a request for a refund is taken back.',
    facts: z.object({ trade_no: z.string() }),
    say: ({ trade_no }) => ({
      title: 'Your refund is looked at again',
      body: `The answer about payment ${trade_no} was recorded by mistake. You will be told of the new one.`,
    }),
    url: '/account',
  }),
  refund_withdrawn: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A refund that no member asked for is taken back.',
    facts: z.object({ trade_no: z.string() }),
    say: ({ trade_no }) => ({
      title: 'Your payment was not refunded',
      body: `The refund of payment ${trade_no} was recorded by mistake. The payment counts as paid.`,
    }),
    url: '/account',
  }),
  order_canceled: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'An order is canceled.',
    facts: z.object({ order_number: z.string(), words }),
    say: (facts) => ({
      title: 'Your order was canceled',
      body: withWords(
        `Order ${facts.order_number} was canceled. You need not pay for it.`,
        facts.words,
      ),
    }),
    url: '/account',
  }),
  order_reopened: cause({
    topic: 'payments',
    mailed: 'at once',
    when: 'A canceled order is opened again.',
    facts: z.object({ order_number: z.string(), words }),
    say: (facts) => ({
      title: 'Your order is open again',
      body: withWords(`Order ${facts.order_number} is not canceled any more.`, facts.words),
    }),
    url: '/account',
  }),
  course_enrolled: cause({
    topic: 'courses',
    mailed: 'grouped',
    when: 'A person is enrolled in a course.',
    facts: z.object({ course: z.string(), until: at.nullable() }),
    say: ({ course, until }, place) => ({
      title: 'You are enrolled in a course',
      body:
        until === null
          ? `${course} is open to you.`
          : `${course} is open to you until ${when(until, place)}.`,
    }),
    url: '/account/courses',
  }),
  course_extended: cause({
    topic: 'courses',
    mailed: 'grouped',
    when: 'Access to a course is extended.',
    facts: z.object({ course: z.string(), until: at.nullable() }),
    say: ({ course, until }, place) => ({
      title: 'Your access was extended',
      body:
        until === null
          ? `Your access to ${course} has no end any more.`
          : `Your access to ${course} ends on ${when(until, place)}.`,
    }),
    url: '/account',
  }),
  course_ends_soon: cause({
    topic: 'courses',
    mailed: 'grouped',
    when: 'Access to a course ends in a week.',
    facts: z.object({ course: z.string(), until: at }),
    say: ({ course, until }, place) => ({
      title: 'Your access to a course ends in a week',
      body: `${course} is open to you until ${when(until, place)}.`,
    }),
    url: '/account/courses',
  }),
  lecture_added: cause({
    topic: 'courses',
    mailed: 'grouped',
    when: 'A published course gets a lecture, or a lecture opens on its date.',
    facts: z.object({ course: z.string(), lecture: z.string(), path: z.string() }),
    say: ({ course, lecture }) => ({
      title: 'A new lecture is open',
      body: `${course} has a new lecture: ${lecture}.`,
    }),
  }),
  event_tomorrow: cause({
    topic: 'events',
    mailed: 'grouped',
    when: 'An event begins in a day.',
    facts: event,
    say: ({ event, starts_at }, place) => ({
      title: 'An event is tomorrow',
      body: `${event} begins on ${when(starts_at, place)}.`,
    }),
    url: '/account/events',
  }),
  comment_answered: cause({
    topic: 'comments',
    mailed: 'grouped',
    when: 'Another person answers a comment of the member.',
    facts: z.object({ course: z.string(), lecture: z.string(), path: z.string() }),
    say: ({ course, lecture }) => ({
      title: 'Your comment was answered',
      body: `There is an answer to your comment below “${lecture}” in ${course}.`,
    }),
  }),
  event_registered: cause({
    topic: 'events',
    mailed: 'grouped',
    when: 'A person is registered for an event.',
    facts: event,
    say: ({ event, starts_at }, place) => ({
      title: 'You are registered for an event',
      body: `${event} begins on ${when(starts_at, place)}.`,
    }),
    url: '/account/events',
  }),
  event_moved: cause({
    topic: 'events',
    mailed: 'at once',
    when: 'An event gets another time.',
    facts: event,
    say: ({ event, starts_at }, place) => ({
      title: 'An event was moved',
      body: `${event} now begins on ${when(starts_at, place)}. You are still registered.`,
    }),
    url: '/account/events',
  }),
  event_canceled: cause({
    topic: 'events',
    mailed: 'at once',
    when: 'An event is canceled.',
    facts: event,
    say: ({ event, starts_at }, place) => ({
      title: 'An event was canceled',
      body: `${event}, ${when(starts_at, place)}, does not take place.`,
    }),
    url: '/account/events',
  }),
  meeting_booked: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'A person gets a seat in a meeting.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'A meeting is booked for you',
      body: `${meeting} begins on ${when(starts_at, place)}.`,
    }),
    url: '/account/bookings',
  }),
  meeting_tomorrow: cause({
    topic: 'meetings',
    mailed: 'grouped',
    when: 'A meeting or a class begins in a day.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'A meeting is tomorrow',
      body: `${meeting} begins on ${when(starts_at, place)}.`,
    }),
    url: '/account/bookings',
  }),
  meeting_canceled: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'A meeting is canceled.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'A meeting was canceled',
      body: `${meeting}, ${when(starts_at, place)}, does not take place.`,
    }),
    url: '/account/bookings',
  }),
  meeting_seat_freed: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'The seat of a person in a meeting is taken back.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'Your seat in a meeting was taken back',
      body: `${meeting}, ${when(starts_at, place)}, is no longer in your schedule.`,
    }),
    url: '/account/bookings',
  }),
  booking_changed: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'A member moves or cancels a booking. The person whose time it is is told.',
    facts: meeting.extend({ member: z.string(), moved_to: at.nullable() }),
    say: ({ member, meeting, starts_at, moved_to }, place) =>
      moved_to === null
        ? {
            title: 'A booking was canceled',
            body: `${member} canceled their booking of ${meeting}, ${when(starts_at, place)}.`,
          }
        : {
            title: 'A booking was moved',
            body: `${member} moved their booking of ${meeting} from ${when(starts_at, place)} to ${when(moved_to, place)}.`,
          },
  }),
  meeting_moved: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'A meeting gets another time.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'A meeting was moved',
      body: `${meeting} now begins on ${when(starts_at, place)}. The room is in your schedule.`,
    }),
    url: '/account/bookings',
  }),
  meeting_room: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'A meeting gets another room.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'A meeting has another room',
      body: `The new room of ${meeting}, ${when(starts_at, place)}, is in your schedule.`,
    }),
    url: '/account/bookings',
  }),
  class_canceled: cause({
    topic: 'meetings',
    mailed: 'at once',
    when: 'A class of a study group is removed.',
    facts: meeting,
    say: ({ meeting, starts_at }, place) => ({
      title: 'A class does not take place',
      body: `${meeting}, ${when(starts_at, place)}, is no longer in your schedule.`,
    }),
    url: '/account/bookings',
  }),
} as const

export type CauseName = keyof typeof CAUSES
export type FactsOf<N extends CauseName> = z.output<(typeof CAUSES)[N]['facts']>

/** A row as it is stored: what an operator wrote, or the values of a cause. */
export interface StoredMessage extends Said {
  readonly kind: string
  readonly facts: unknown
  readonly timeZone: string
}

/**
 * The words of a row. One without values has its own: an operator wrote it, it was imported, or it
 * is from before there were values. So has a cause that only a newer version knows.
 */
export function sayMessage({ kind, facts, title, body, timeZone }: StoredMessage): Said {
  if (facts === null || !Object.hasOwn(CAUSES, kind)) return { title, body }
  const { facts: schema, say } = CAUSES[kind as CauseName] as Cause<object>
  const read = schema.safeParse(facts)
  return read.success ? say(read.data, { timeZone }) : { title, body }
}
