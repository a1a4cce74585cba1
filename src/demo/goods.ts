import type { GoodSketch, PurchaseSketch } from './content/school-content.ts'
import { courseId } from './courses.ts'
import { idAt, minorUnits, type Stage } from './stage.ts'

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
