import {
  cancelSubscription,
  listSubscriptions,
  readSubscription,
  resumeSubscription,
} from '../../../../domain/commerce/subscription-operations.ts'
import { Badge } from '../../../../foundation/html/site-components.tsx'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { FORMER_MEMBER, moment, nameOf, person, related, state } from '../crud/object-table.tsx'
import { defineResource } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'

type Subscription = OutputOf<typeof readSubscription>

const fullState: Show<Subscription> = (subscription, place) => (
  <>
    {state('state')(subscription, place)}
    {subscription.cancel_at_period_end && subscription.state !== 'canceled' && (
      <>
        {' '}
        <Badge tone="warning">Ends with its period</Badge>
      </>
    )}
  </>
)

const planLink = related('plan', 'plans', 'name')
const runs = (subscription: Subscription) => subscription.state !== 'canceled'

export const subscriptionList = listPlan({
  operation: listSubscriptions,
  expand: ['member', 'plan'],
  columns: [
    { label: 'Member', show: nameOf('member', 'name', FORMER_MEMBER) },
    { label: 'Plan', show: planLink },
    { label: 'State', show: fullState },
    {
      label: 'Period ends',
      show: moment('current_period_ends_at'),
      sort: 'current_period_ends_at',
    },
  ],
  searchHint: 'Name or email of the member',
  filters: [
    { name: 'state', label: 'State' },
    { name: 'ending', label: 'Ends with its period' },
  ],
  sorts: [
    '-created_at',
    'created_at',
    ['current_period_ends_at', 'Period ends soonest'],
    ['-current_period_ends_at', 'Period ends latest'],
  ],
})

export const subscriptions = defineResource({
  path: 'subscriptions',
  empty: 'Members make one when they buy a membership plan.',
  one: 'subscription',
  many: 'Subscriptions',
  lead: 'Who pays for which plan. Members begin one themselves.',
  list: subscriptionList,
  read: readSubscription,
  expand: ['member', 'plan'],
  name: ({ member, plan }) => [member?.name, plan?.name].filter(Boolean).join(', '),
  badges: fullState,
  facts: [
    { label: 'Member', show: person('member', 'members') },
    { label: 'Plan', show: planLink },
    { label: 'Started', show: moment('started_at') },
    { label: 'Period began', show: moment('current_period_starts_at') },
    { label: 'Period ends', show: moment('current_period_ends_at') },
    { label: 'Canceled', show: moment('canceled_at') },
  ],
  fields: [],
  actions: [
    {
      path: 'cancel',
      label: 'Cancel subscription',
      does: asking(cancelSubscription, [
        {
          name: 'when',
          label: 'When it ends',
          choices: [
            ['period_end', 'At the end of the paid period'],
            ['now', 'At once'],
          ],
        },
      ]),
      question: 'Cancel this subscription?',
      consequence: 'It ends at the end of the paid period, or at once. No money is paid back.',
      done: 'The subscription is canceled.',
      tone: 'danger',
      when: (subscription) => runs(subscription),
    },
    {
      path: 'resume',
      label: 'Resume',
      does: resumeSubscription,
      question: 'Resume this subscription?',
      consequence: 'The cancellation is undone, and it renews at the end of its period.',
      consequenceOfMany: 'The cancellations are undone, and each renews at the end of its period.',
      done: 'The subscription is resumed.',
      when: (subscription) => runs(subscription) && subscription.cancel_at_period_end,
    },
  ],
})
