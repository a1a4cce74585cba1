import {
  cancelSubscription,
  listSubscriptions,
  readSubscription,
  resumeSubscription,
} from '../../../../../domain/commerce/subscription-operations.ts'
import { Badge } from '../../../../../foundation/html/site-components.tsx'
import { type AdminResource, type ListPlan, partOf, type Show, textOf } from '../resource.ts'
import { moment, nameOf, person, related, state } from '../views/cells.tsx'

export const subscriptionList: ListPlan = {
  operation: listSubscriptions,
  searchHint: 'Name or email of the member',
  filters: [
    { name: 'state', label: 'State' },
    {
      name: 'ending',
      label: 'Ends with its period',
      choices: [
        ['true', 'Yes'],
        ['false', 'No'],
      ],
    },
  ],
  sorts: [
    ['-created_at', 'Newest first'],
    ['created_at', 'Oldest first'],
    ['current_period_ends_at', 'Period ends soonest'],
    ['-current_period_ends_at', 'Period ends latest'],
  ],
}

const standing: Show = (subscription, place) => (
  <>
    {state()(subscription, place)}
    {subscription.cancel_at_period_end === true && subscription.state !== 'canceled' && (
      <>
        {' '}
        <Badge tone="warning">Ends with its period</Badge>
      </>
    )}
  </>
)

const plan = related('plan', 'plans', 'name')
const runs = (subscription: Readonly<Record<string, unknown>>) => subscription.state !== 'canceled'

export const subscriptions: AdminResource = {
  path: 'subscriptions',
  one: 'subscription',
  many: 'Subscriptions',
  lead: 'Who pays for which plan. Members begin one themselves.',
  list: subscriptionList,
  read: readSubscription,
  expand: ['member', 'plan'],
  name: (subscription) => {
    const who = textOf(partOf(subscription, 'member') ?? {}, 'name')
    const what = textOf(partOf(subscription, 'plan') ?? {}, 'name')
    return [who, what].filter(Boolean).join(', ')
  },
  badges: standing,
  columns: [
    {
      label: 'Member',
      show: nameOf('member', 'name', 'Somebody who left'),
    },
    { label: 'Plan', show: plan },
    { label: 'State', show: standing },
    {
      label: 'Period ends',
      show: moment('current_period_ends_at'),
      sort: 'current_period_ends_at',
    },
  ],
  facts: [
    { label: 'Member', show: person('member', 'members') },
    { label: 'Plan', show: plan },
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
      operation: cancelSubscription,
      question: 'Cancel this subscription?',
      consequence:
        'It ends with the period that was paid for, or at once. Nothing is paid back here.',
      done: 'The subscription is canceled.',
      tone: 'danger',
      when: (subscription) => runs(subscription),
      fields: [
        {
          name: 'when',
          label: 'When it ends',
          choices: [
            ['period_end', 'With the period that was paid for'],
            ['now', 'At once'],
          ],
        },
      ],
    },
    {
      path: 'resume',
      label: 'Resume',
      operation: resumeSubscription,
      question: 'Let this subscription go on?',
      consequence: 'The cancellation is taken back, and it renews at the end of its period.',
      done: 'The subscription goes on.',
      when: (subscription) => runs(subscription) && subscription.cancel_at_period_end === true,
    },
  ],
}
