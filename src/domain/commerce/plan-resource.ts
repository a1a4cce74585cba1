import { sql } from 'kysely'
import { z } from 'zod'
import {
  amount,
  count,
  currency,
  id,
  line,
  slug,
  stamps,
  writtenMarkdown,
} from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'

export const PLAN_STATES = ['draft', 'published', 'archived'] as const
export const PLAN_INTERVALS = ['month', 'year'] as const

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
  rows: (at) => sql`
    select p.id, p.slug, p.name, p.description, p.state, p.price_amount, p.currency, p.interval,
      array(select c.course_id from membership_plan_courses c
            where c.school_id = p.school_id and c.plan_id = p.id order by c.course_id)::text[] as course_ids,
      p.active_subscription_count,
      p.created_at, p.updated_at, p.version
    from membership_plans p where p.school_id = ${at.schoolId}`,
}
