import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { id, stamps, utc } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { conflict } from '../operation/refusal.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { personOf } from '../people/find-people.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { planSchema, plans } from './plan-operations.ts'

const STATES = ['active', 'past_due', 'canceled'] as const

const subscriptionSchema = z
  .strictObject({
    object: z.literal('subscription'),
    id,
    member_id: id,
    plan_id: id,
    state: z.enum(STATES),
    started_at: utc,
    current_period_starts_at: utc,
    current_period_ends_at: utc,
    cancel_at_period_end: z.boolean(),
    canceled_at: utc.nullable(),
    ...stamps,
    member: memberSchema.nullable().optional(),
    plan: planSchema.nullable().optional(),
  })
  .meta({ id: 'Subscription' })

export const subscriptions: Resource<typeof subscriptionSchema> = {
  object: 'subscription',
  restPath: '/subscriptions/{id}',
  schema: subscriptionSchema,
  rows: (db) => sql`
    select s.id, s.user_id as member_id, s.plan_id, s.state, s.started_at, s.current_period_starts_at,
      s.current_period_ends_at, s.cancel_at_period_end, s.canceled_at, s.created_at, s.updated_at, s.version
    from subscriptions s where s.school_id = ${db.schoolId}`,
  expansions: {
    member: expansionOf(members, 'member_id', ['members:read']),
    plan: expansionOf(plans, 'plan_id', ['membership_plans:read']),
  },
}

const ops = objectOperations({
  of: subscriptions,
  table: 'subscriptions',
  one: 'a subscription',
  example: EXAMPLE.subscription,
})

export const listSubscriptions = listOperation({
  ...ops.listed,
  summary: 'Members’ plans: active, past due and canceled.',
  filters: {
    state: filter(z.enum(STATES), (state) => sql`r.state = ${sql.lit(state)}`),
    plan_id: filter(id, (value) => sql`r.plan_id = ${value}`),
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    ending: filter(z.boolean(), (ending) => sql`r.cancel_at_period_end = ${sql.lit(ending)}`),
    search: searchIn(personOf('member_id')),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', current_period_ends_at: 'time' },
  defaultSort: '-created_at',
  examples: [
    { title: 'Active ones, with their plan', input: { state: 'active', expand: ['plan'] } },
  ],
})

export const readSubscription = ops.read()

export const cancelSubscription = ops.action('cancel', {
  summary: 'Ends it with the paid period, or now. Canceling again changes nothing.',
  fields: { when: z.enum(['period_end', 'now']).default('period_end') },
  examples: [
    { title: 'At the end of the period', input: { id: EXAMPLE.subscription } },
    { title: 'Now', input: { id: EXAMPLE.subscription, when: 'now' } },
  ],
  async change(tx, caller, { id: subscription, if_version, when }) {
    await ops.lock(tx, { id: subscription, if_version })
    const { state } = await loadObject(tx, caller, subscriptions, subscription)
    if (state === 'canceled') return
    const columns =
      when === 'now'
        ? { state: 'canceled', canceled_at: sql`now()`, cancel_at_period_end: false }
        : { cancel_at_period_end: true }
    await ops.update(tx, { id: subscription }, columns)
  },
})

export const resumeSubscription = ops.action('resume', {
  summary:
    'Undoes a cancellation at the end of the period. A subscription that has ended stays ended.',
  examples: [{ title: 'Undo a cancellation', input: { id: EXAMPLE.subscription } }],
  async change(tx, caller, { id: subscription, if_version }) {
    await ops.lock(tx, { id: subscription, if_version })
    const { state } = await loadObject(tx, caller, subscriptions, subscription)
    if (state === 'canceled') {
      throw conflict('canceled', 'The subscription has ended. The member can subscribe again.')
    }
    await ops.update(
      tx,
      { id: subscription },
      {
        cancel_at_period_end: false,
      },
    )
  },
})

interface SubscriptionRow {
  readonly current_period_starts_at?: string | undefined
  readonly current_period_ends_at?: string | undefined
}

export const subscriptionRules: RowRules<SubscriptionRow> = [
  {
    field: 'current_period_ends_at',
    code: 'inconsistent',
    detail: 'A period must end after it starts.',
    broken: ({ current_period_starts_at, current_period_ends_at }) =>
      endsTooEarly(current_period_starts_at, current_period_ends_at),
  },
]

/**
 * Ends the running plans of a member who is forgotten; what was paid for them stays in the books.
 * Returns how many.
 */
export async function cancelSubscriptionsOf(tx: SchoolTx, userId: string): Promise<number> {
  const ended = await tx
    .update('subscriptions')
    .set({ state: 'canceled', canceled_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('state', '<>', 'canceled')
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}

export const subscriptionOperations = {
  list: listSubscriptions,
  read: readSubscription,
  cancel: cancelSubscription,
  resume: resumeSubscription,
}
