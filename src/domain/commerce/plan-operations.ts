import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { keepsText } from '../content/rendered-texts.ts'
import { checkCourses } from '../learning/enrollment-operations.ts'
import {
  amount,
  count,
  currency,
  currencyOrOwn,
  id,
  line,
  markdown,
  slug,
  stamps,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { schoolCurrency } from '../schools/school.ts'

const PLAN_STATES = ['draft', 'published', 'archived'] as const
const PLAN_INTERVALS = ['month', 'year'] as const

export const planSchema = z
  .strictObject({
    object: z.literal('membership_plan'),
    id,
    slug,
    name: line(200),
    description: writtenMarkdown,
    state: z.enum(PLAN_STATES),
    price_amount: amount,
    currency,
    interval: z.enum(PLAN_INTERVALS),
    course_ids: z.array(id),
    active_subscription_count: count,
    ...stamps,
  })
  .meta({ id: 'MembershipPlan' })

export const plans: Resource<typeof planSchema> = {
  object: 'membership_plan',
  restPath: '/membership-plans/{id}',
  schema: planSchema,
  rows: (db) => sql`
    select p.id, p.slug, p.name, p.description, p.state, p.price_amount, p.currency, p.interval,
      array(select c.course_id from membership_plan_courses c
            where c.school_id = p.school_id and c.plan_id = p.id order by c.course_id)::text[] as course_ids,
      p.active_subscription_count,
      p.created_at, p.updated_at, p.version
    from membership_plans p where p.school_id = ${db.schoolId}`,
}

export const planFields = {
  slug,
  name: line(200),
  description: markdown(20_000).default(''),
  price_amount: amount,
  currency: currencyOrOwn,
  interval: z.enum(PLAN_INTERVALS),
  course_ids: z
    .array(id)
    .max(500)
    .meta({ description: 'The courses that the plan opens.' })
    .default([]),
}

interface PlanRow {
  readonly price_amount?: number | undefined
  readonly currency?: string | undefined
  readonly interval?: string | undefined
  readonly active_subscription_count?: number | undefined
}

const TERMS = ['price_amount', 'currency', 'interval'] as const

export const planRules: RowRules<PlanRow> = [
  {
    kind: 'conflict',
    field: 'price_amount',
    code: 'subscribed',
    detail: 'Members subscribed at these terms. Create a new plan and archive this one.',
    broken: (plan, before) =>
      before !== undefined &&
      Number(before.active_subscription_count) > 0 &&
      TERMS.some((term) => plan[term] !== before[term]),
  },
]

const ops = objectOperations({
  of: plans,
  table: 'membership_plans',
  one: 'a membership plan',
  example: EXAMPLE.plan,
  fields: planFields,
  rules: planRules,
  wrote: keepsText('description'),
})

export const listPlans = listOperation({
  ...ops.listed,
  summary: 'Recurring offers, in every state.',
  filters: {
    state: filter(z.enum(PLAN_STATES), (state) => sql`r.state = ${state}`),
    interval: filter(z.enum(PLAN_INTERVALS), (value) => sql`r.interval = ${value}`),
    search: searchIn('name', 'slug'),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', name: 'text', price_amount: 'number' },
  defaultSort: '-created_at',
})

export const readPlan = ops.read({
  summary: 'One plan by its id.',
  examples: [{ title: 'A plan', input: { id: EXAMPLE.plan } }],
})

export const createPlan = ops.create({
  summary: 'Creates a draft. Members can subscribe once it is published.',
  examples: [
    {
      title: 'A yearly plan with one course',
      input: {
        slug: 'studio-year',
        name: 'Studio, yearly',
        price_amount: 12000,
        interval: 'year',
        course_ids: [EXAMPLE.course],
      },
    },
  ],
  async create(tx, _caller, { currency: given, course_ids, ...columns }) {
    const plan = await ops.insert(tx, { ...columns, currency: given ?? (await schoolCurrency(tx)) })
    await setCourses(tx, plan, course_ids)
    return plan
  },
})

export const changePlan = ops.change({
  summary:
    'Changes the given fields. Price, currency and interval are fixed once a member has subscribed.',
  examples: [
    { title: 'Another name', input: { id: EXAMPLE.plan, name: 'Studio' } },
    { title: 'Other courses', input: { id: EXAMPLE.plan, course_ids: [EXAMPLE.draftCourse] } },
  ],
  async change(tx, caller, { course_ids, id, if_version, ...columns }) {
    const named = { id, if_version }
    // Changed courses must raise the version of the plan too.
    const touched = course_ids === undefined ? {} : { state: sql`state` }
    await ops.check(tx, caller, named, columns)
    await ops.update(tx, named, { ...columns, ...touched })
    if (course_ids !== undefined) await setCourses(tx, id, course_ids)
  },
})

export const publishPlan = ops.move('publish', {
  summary: 'Makes it available to members.',
  to: { state: 'published' },
})

export const archivePlan = ops.move('archive', {
  summary: 'Stops new subscriptions. Active subscriptions continue.',
  to: { state: 'archived' },
})

async function setCourses(tx: SchoolTx, plan: string, wanted: readonly string[]): Promise<void> {
  const unique = await checkCourses(tx, 'course_ids', wanted)
  await tx.delete('membership_plan_courses').where('plan_id', '=', plan).execute()
  if (unique.length === 0) return
  const opened = unique.map((course_id) => ({ plan_id: plan, course_id }))
  await tx.insert('membership_plan_courses', opened).execute()
}

export const planOperations = {
  list: listPlans,
  read: readPlan,
  create: createPlan,
  change: changePlan,
  publish: publishPlan,
  archive: archivePlan,
}
