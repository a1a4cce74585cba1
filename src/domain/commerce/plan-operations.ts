import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { keepRendered } from '../content/rendered-texts.ts'
import { checkCourses } from '../learning/enrollment-operations.ts'
import {
  amount,
  count,
  currency,
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
import { changeOperation, createOperation, readOperation } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { checkChange, type RowRules } from '../operation/row-rules.ts'
import { writing } from '../operation/writing.ts'
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
  description: markdown(20_000),
  price_amount: amount,
  currency,
  interval: z.enum(PLAN_INTERVALS),
  course_ids: z.array(id).max(500).meta({ description: 'The courses that the plan opens.' }),
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

const READ = ['membership_plans:read']
const WRITE = ['membership_plans:write']

export const listPlans = listOperation({
  name: 'membership_plans.list',
  title: 'List membership plans',
  summary: 'Recurring offers, in every state.',
  scopes: READ,
  of: plans,
  filters: {
    state: filter(z.enum(PLAN_STATES), (state) => sql`r.state = ${state}`),
    interval: filter(z.enum(PLAN_INTERVALS), (value) => sql`r.interval = ${value}`),
    search: searchIn('name', 'slug'),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', name: 'text', price_amount: 'number' },
  defaultSort: '-created_at',
})

export const readPlan = readOperation({
  name: 'membership_plans.read',
  title: 'Read a membership plan',
  summary: 'One plan by its id.',
  scopes: READ,
  of: plans,
  examples: [{ title: 'A plan', input: { id: EXAMPLE.plan } }],
})

export const createPlan = createOperation({
  name: 'membership_plans.create',
  title: 'Create a membership plan',
  summary: 'Creates a draft. Members can subscribe once it is published.',
  scopes: WRITE,
  of: plans,
  fields: {
    slug: planFields.slug,
    name: planFields.name,
    description: planFields.description.default(''),
    price_amount: planFields.price_amount,
    currency: planFields.currency
      .optional()
      .meta({ description: 'The school’s currency if left out.' }),
    interval: planFields.interval,
    course_ids: planFields.course_ids.default([]),
  },
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
    const made = uuidv7()
    const own = await schoolCurrency(tx)
    await tx.insert('membership_plans', { ...columns, id: made, currency: given ?? own }).execute()
    await keepRendered(tx, [{ id: made, text: columns.description }])
    await setCourses(tx, made, course_ids)
    return made
  },
})

const target = (plan: string, ifVersion: number | undefined) => ({
  object: 'membership_plan',
  key: { id: plan },
  ifVersion,
})

export const changePlan = changeOperation({
  name: 'membership_plans.change',
  title: 'Change a membership plan',
  summary:
    'Changes the given fields. Price, currency and interval are fixed once a member has subscribed.',
  scopes: WRITE,
  of: plans,
  fields: z.object(planFields).partial().shape,
  examples: [
    { title: 'Another name', input: { id: EXAMPLE.plan, name: 'Studio' } },
    { title: 'Other courses', input: { id: EXAMPLE.plan, course_ids: [EXAMPLE.draftCourse] } },
  ],
  async change(tx, caller, { id: plan, if_version, course_ids, ...columns }) {
    // Changed courses must raise the version of the plan too.
    const touched = course_ids === undefined ? {} : { state: sql`state` }
    const row = ['membership_plans', target(plan, if_version)] as const
    await checkChange(tx, caller, plans, planRules, row, columns)
    await writing(tx).update(...row, { ...columns, ...touched })
    const { description: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: plan, text }])
    if (course_ids !== undefined) await setCourses(tx, plan, course_ids)
  },
})

const moveTo = (state: 'published' | 'archived', title: string, summary: string) =>
  changeOperation({
    name: `membership_plans.${state === 'published' ? 'publish' : 'archive'}`,
    title,
    summary,
    scopes: WRITE,
    of: plans,
    fields: {},
    examples: [{ title, input: { id: EXAMPLE.plan } }],
    async change(tx, _caller, { id: plan, if_version }) {
      await writing(tx).update('membership_plans', target(plan, if_version), { state })
    },
  })

export const publishPlan = moveTo(
  'published',
  'Publish a membership plan',
  'Makes it available to members.',
)
export const archivePlan = moveTo(
  'archived',
  'Archive a membership plan',
  'Stops new subscriptions. Active subscriptions continue.',
)

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
