import { courseId } from './courses.ts'
import { idAt, minorUnits, type Stage } from './stage.ts'

/** What a school sells besides courses and events: products, plans, and the coupons for them. */
export function addCatalogue(stage: Stage): void {
  addProducts(stage)
  addPlans(stage)
  addCoupons(stage)
}

function addProducts(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, product] of school.products.entries()) {
    rows.add('digital_products', {
      school_id: schoolId,
      id: idAt(stage, 'product', product.slug),
      slug: product.slug,
      title: product.title,
      description: product.description,
      state: product.state ?? 'published',
      price_amount: minorUnits(product.price),
      currency: school.currency,
      created_at: clock.at(-1000 + 10 * i),
    })
  }
}

function addPlans(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, plan] of school.plans.entries()) {
    const plan_id = idAt(stage, 'plan', plan.slug)
    rows.add('membership_plans', {
      school_id: schoolId,
      id: plan_id,
      slug: plan.slug,
      name: plan.name,
      description: plan.description,
      state: plan.state ?? 'published',
      interval: plan.interval,
      price_amount: minorUnits(plan.price),
      currency: school.currency,
      created_at: clock.at(-1200 + 10 * i),
    })
    for (const course of plan.courses) {
      const course_id = courseId(stage, course)
      rows.add('membership_plan_courses', { school_id: schoolId, plan_id, course_id })
    }
  }
}

function addCoupons(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, coupon] of school.coupons.entries()) {
    const { amountOff, startsInDays, endsInDays } = coupon
    rows.add('coupons', {
      school_id: schoolId,
      id: idAt(stage, 'coupon', coupon.code),
      code: coupon.code,
      percent_off: coupon.percentOff ?? null,
      amount_off: amountOff === undefined ? null : minorUnits(amountOff),
      currency: amountOff === undefined ? null : school.currency,
      max_redemptions: coupon.maxRedemptions ?? null,
      max_per_member: coupon.maxPerMember ?? null,
      starts_at: startsInDays === undefined ? null : clock.at(startsInDays, '00:00'),
      ends_at: endsInDays === undefined ? null : clock.at(endsInDays, '16:00'),
      archived_at: coupon.archived === true ? clock.at(-150) : null,
      created_at: clock.at(-400 + 10 * i),
    })
  }
}
