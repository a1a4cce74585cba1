import type { ProductAccessSketch, SubscriptionSketch } from './content/school-content.ts'
import { personId } from './people.ts'
import { idAt, type Stage } from './stage.ts'

export function addProductAccesses(
  stage: Stage,
  who: string,
  accesses: readonly ProductAccessSketch[],
): void {
  const { schoolId, clock, rows } = stage
  for (const { product, daysAgo, revokedDaysAgo } of accesses) {
    rows.add('digital_product_accesses', {
      school_id: schoolId,
      id: idAt(stage, 'product-access', `${who}/${product}`),
      product_id: idAt(stage, 'product', product),
      user_id: personId(who),
      granted_at: clock.at(-daysAgo, '06:00'),
      revoked_at: revokedDaysAgo === undefined ? null : clock.at(-revokedDaysAgo),
    })
  }
}

export function addSubscriptions(
  stage: Stage,
  who: string,
  subscriptions: readonly SubscriptionSketch[],
): void {
  const { school, schoolId, clock, rows } = stage
  for (const subscription of subscriptions) {
    const { plan, startedDaysAgo, periodStartedDaysAgo, canceledDaysAgo } = subscription
    const interval = school.plans.find(({ slug }) => slug === plan)?.interval
    const periodDays = interval === 'year' ? 365 : 30
    const started_at = clock.at(-startedDaysAgo, '00:00')
    rows.add('subscriptions', {
      school_id: schoolId,
      id: idAt(stage, 'subscription', `${who}/${plan}`),
      plan_id: idAt(stage, 'plan', plan),
      user_id: personId(who),
      state: subscription.state,
      started_at,
      current_period_starts_at: clock.at(-periodStartedDaysAgo, '00:00'),
      current_period_ends_at: clock.at(periodDays - periodStartedDaysAgo, '00:00'),
      cancel_at_period_end: subscription.cancelAtPeriodEnd ?? false,
      canceled_at: canceledDaysAgo === undefined ? null : clock.at(-canceledDaysAgo),
      created_at: started_at,
    })
  }
}
