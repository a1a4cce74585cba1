import type {
  CourseSketch,
  GoodSketch,
  PurchaseSketch,
  SectionSketch,
} from './content/school-content.ts'
import { personId } from './people.ts'
import { idAt, minorUnits, type Stage, varietyOf } from './stage.ts'

export interface DemoLecture {
  readonly id: string
  readonly title: string
  readonly durationSeconds: number
  readonly section: SectionSketch
}

export function addCourses(stage: Stage): void {
  for (const [i, course] of stage.school.courses.entries()) addCourse(stage, course, i)
}

export function courseId(stage: Stage, slug: string): string {
  return idAt(stage, 'course', slug)
}

/** The lectures of a course in order, the same at every call. */
export function lecturesOf(stage: Stage, slug: string): readonly DemoLecture[] {
  const course = stage.school.courses.find((known) => known.slug === slug)
  if (course === undefined) throw new Error(`${stage.school.name} has no course ${slug}`)
  const variety = varietyOf(`${stage.school.key}/lectures/${slug}`)
  return course.sections.flatMap((section, s) =>
    section.lectures.map((title, position) => {
      const isShort = /^(Quiz|Exercise|Capstone)\b/.test(title) || variety.chance(0.15)
      return {
        id: idAt(stage, 'lecture', `${slug}/${s}/${position}`),
        title,
        durationSeconds: isShort ? variety.integer(5, 15) * 60 : variety.integer(240, 1500),
        section,
      }
    }),
  )
}

function addCourse(stage: Stage, course: CourseSketch, index: number): void {
  const { schoolId, clock, rows, school } = stage
  const id = courseId(stage, course.slug)
  const state = course.state ?? 'published'
  const createdDaysAgo = 1240 - 20 * index
  const created_at = clock.at(-createdDaysAgo)
  rows.add('courses', {
    school_id: schoolId,
    id,
    slug: course.slug,
    title: course.title,
    summary: course.summary,
    description: descriptionOf(course),
    state,
    price_amount: minorUnits(course.price),
    currency: school.currency,
    published_at: state === 'draft' ? null : clock.at(-createdDaysAgo + 14),
    archived_at: state === 'archived' ? clock.at(-200) : null,
    created_at,
  })
  for (const [position, key] of course.taughtBy.entries()) {
    const user_id = personId(key)
    rows.add('course_lecturers', { school_id: schoolId, course_id: id, user_id, position })
  }
  const lectures = lecturesOf(stage, course.slug)
  for (const [position, section] of course.sections.entries()) {
    const section_id = idAt(stage, 'section', `${course.slug}/${position}`)
    rows.add('sections', {
      school_id: schoolId,
      id: section_id,
      course_id: id,
      position,
      title: section.title,
      created_at,
    })
    const own = lectures.filter((lecture) => lecture.section === section)
    for (const [place, lecture] of own.entries()) {
      rows.add('lectures', {
        school_id: schoolId,
        id: lecture.id,
        course_id: id,
        section_id,
        position: place,
        title: lecture.title,
        kind: 'text',
        body: 'Read, try, and write down **one** question.',
        duration_seconds: lecture.durationSeconds,
        is_preview: position === 0 && place < 2,
        unlock_after_days: section.unlockAfterDays ?? null,
        unlock_at:
          section.unlockInDays === undefined ? null : clock.at(section.unlockInDays, '01:00'),
        created_at,
      })
    }
  }
}

function descriptionOf({ summary, sections }: CourseSketch): string {
  const chapters = sections.map(({ title }) => `- ${title}`).join('\n')
  return `${summary}\n\n## What you will go through\n\n${chapters}`
}

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

/** One line of a purchase, with the product. */
export interface Line {
  readonly title: string
  readonly quantity: number
  readonly unitAmount: number
  readonly references: {
    readonly course_id?: string
    readonly digital_product_id?: string
    readonly event_id?: string
    readonly plan_id?: string
  }
}

export interface Adjustment {
  readonly kind: 'coupon' | 'promotion'
  readonly label: string
  readonly amount: number
}

export function lineOf(stage: Stage, good: GoodSketch): Line {
  const { courses, products, events, plans } = stage.school
  const line = (title: string, price: number, references: Line['references']): Line => ({
    title,
    quantity: good.quantity ?? 1,
    unitAmount: minorUnits(price),
    references,
  })
  if (good.course !== undefined) {
    const { slug, title, price } = known(courses, good.course)
    return line(title, price, { course_id: courseId(stage, slug) })
  }
  if (good.product !== undefined) {
    const { slug, title, price } = known(products, good.product)
    return line(title, price, { digital_product_id: idAt(stage, 'product', slug) })
  }
  if (good.event !== undefined) {
    const { slug, title, price } = known(events, good.event)
    return line(`Ticket: ${title}`, price, { event_id: idAt(stage, 'event', slug) })
  }
  if (good.plan !== undefined) {
    const { slug, name, price } = known(plans, good.plan)
    return line(name, price, { plan_id: idAt(stage, 'plan', slug) })
  }
  const { title, price } = good.extra ?? { title: 'Donation', price: 1 }
  return line(title, price, {})
}

/** First the coupon, then the promotion; together at most the price of the goods. */
export function adjustmentsOf(
  { school }: Stage,
  { coupon: code, promotion }: PurchaseSketch,
  subtotal: number,
): readonly Adjustment[] {
  const adjustments: Adjustment[] = []
  if (code !== undefined) {
    const coupon = school.coupons.find((offered) => offered.code === code)
    if (coupon === undefined) throw new Error(`${school.name} has no coupon ${code}`)
    const off =
      coupon.percentOff === undefined
        ? minorUnits(coupon.amountOff ?? 0)
        : Math.round((subtotal * coupon.percentOff) / 100)
    adjustments.push({ kind: 'coupon', label: code, amount: -Math.min(off, subtotal) })
  }
  if (promotion !== undefined) {
    const amount = -Math.round(subtotal * promotion.share)
    adjustments.push({ kind: 'promotion', label: promotion.label, amount })
  }
  return adjustments
}

function known<T extends { readonly slug: string }>(offers: readonly T[], slug: string): T {
  const offer = offers.find((candidate) => candidate.slug === slug)
  if (offer === undefined) throw new Error(`The demo world sells no ${slug}`)
  return offer
}
