import {
  archivePlan,
  changePlan,
  createPlan,
  listPlans,
  publishPlan,
  readPlan,
} from '../../../../domain/commerce/plan-operations.ts'
import { listCourses } from '../../../../domain/learning/course-operations.ts'
import { Name } from '../../../../foundation/html/components.tsx'
import { Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { formatPriceEach } from '../../frame/words.ts'
import { choicesFrom } from '../crud/choices.ts'
import type { Choice } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, figure, moment, number, state, text } from '../crud/object-table.tsx'
import { defineResource, rowsBy } from '../crud/resource.ts'
import type { OutputOf } from '../crud/row.ts'
import { siteLink, slugFrom } from './site-link.ts'
import { subscriptionList, subscriptions } from './subscriptions.tsx'

type Plan = OutputOf<typeof readPlan>

const price = figure<Plan>(({ price_amount, currency, interval }) =>
  formatPriceEach(price_amount, currency, interval),
)

const allCourses = choicesFrom(listCourses, 'title')

export const plans = defineResource({
  path: 'plans',
  one: 'plan',
  many: 'Membership plans',
  lead: 'What members can subscribe to, and which courses it opens.',
  list: listPlan({
    operation: listPlans,
    columns: [
      { label: 'Name', show: text('name'), sort: 'name' },
      { label: 'State', show: state('state') },
      { label: 'Price', show: price, sort: 'price_amount' },
      { label: 'Subscriptions', show: number('active_subscription_count') },
    ],
    searchHint: 'Name or address',
    filters: [
      { name: 'state', label: 'State' },
      { name: 'interval', label: 'Paid every' },
    ],
    sorts: ['-created_at', 'name', '-name', 'price_amount', '-price_amount'],
  }),
  read: readPlan,
  name: (plan) => plan.name,
  badges: state('state'),
  facts: [
    { label: 'Price', show: price },
    { label: 'Address', show: address('slug') },
    { label: 'Subscriptions now', show: number('active_subscription_count') },
    { label: 'Created', show: moment('created_at') },
  ],
  markdown: { title: 'Description', member: 'description', isKept: true },
  fields: [
    { name: 'name', label: 'Name' },
    slugFrom('name'),
    { name: 'description', label: 'Description', kind: 'markdown', rows: 8, hint: 'Markdown.' },
    {
      name: 'price_amount',
      label: 'Price',
      kind: 'money',
      hint: 'Price, currency and interval cannot be changed after the first subscription.',
    },
    { name: 'currency', label: 'Currency', kind: 'currency' },
    { name: 'interval', label: 'Paid every' },
    { name: 'course_ids', label: 'Courses that it opens', choices: allCourses },
  ],
  create: createPlan,
  change: changePlan,
  actions: [
    {
      path: 'publish',
      label: 'Publish',
      does: publishPlan,
      question: 'Publish this plan?',
      consequence: 'Members can subscribe to it at once.',
      consequenceOfMany: 'Members can subscribe to them at once.',
      done: 'The plan is on offer.',
      when: (plan) => plan.state !== 'published',
    },
    {
      path: 'archive',
      label: 'Archive',
      does: archivePlan,
      question: 'Archive this plan?',
      consequence: 'It takes no new subscriptions. Running subscriptions continue.',
      consequenceOfMany: 'They take no new subscriptions. Running subscriptions continue.',
      done: 'The plan is in the archive.',
      when: (plan) => plan.state !== 'archived',
    },
  ],
  related: [
    {
      path: 'subscriptions',
      title: 'Subscriptions',
      of: subscriptions,
      rows: rowsBy('plan_id', subscriptionList),
      empty: 'There are no subscriptions yet.',
    },
  ],
  panels: async (plan, _place, ask) => {
    const { choices } = await allCourses.offer(ask, { text: '', chosen: plan.course_ids })
    return <Opened plan={plan} courses={choices} />
  },
  links: (plan) => [siteLink('plans', plan)],
})

function Opened({ plan, courses }: { plan: Plan; courses: readonly Choice[] }) {
  const opened = courses.filter(([id]) => plan.course_ids.includes(id))
  return (
    <Panel title="Courses that it opens">
      {opened.length === 0 ? (
        <Empty>
          <p>None yet.</p>
        </Empty>
      ) : (
        <ul class="plain-list">
          {opened.map(([id, title]) => (
            <li>
              <a href={`/admin/courses/${id}`}>
                <Name text={title} fallback="Untitled" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
