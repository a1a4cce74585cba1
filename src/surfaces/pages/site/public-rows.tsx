import type { ComponentChildren } from 'preact'
import { Moment, MomentInZone } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { count, formatMoney, formatPriceEach } from '../frame/words.ts'

interface ShownOffer {
  readonly slug: string
  readonly title: string
  /** In minor units of the currency. */
  readonly priceAmount: number
  readonly currency: string
}

export type ShownProduct = ShownOffer

export interface ShownCourse extends ShownOffer {
  readonly summary: string
}

export interface ShownPlan extends Omit<ShownOffer, 'title'> {
  readonly name: string
  readonly interval: 'month' | 'year'
  readonly courses: readonly string[]
}

export interface ShownEvent {
  readonly slug: string
  readonly title: string
  readonly startsAt: Date
  readonly location: string
  readonly isOnline: boolean
}

export interface ShownText {
  readonly slug: string
  readonly title: string
  readonly publishedAt: Date
}

interface Place {
  readonly timeZone: string
  /** One below the heading that the rows stand under. */
  readonly heading: 'h2' | 'h3'
}

/** A row of what a school shows to everyone, on its home page and in the list of its kind. */
export type PublicRow<R> = (row: R, place: Place) => ComponentChildren

export const courseRow: PublicRow<ShownCourse> = (course, place) => (
  <Offer path="/courses/" {...place} {...course} />
)

export const planRow: PublicRow<ShownPlan> = (plan, place) => (
  <Offer
    path="/plans/"
    {...place}
    {...plan}
    title={plan.name}
    summary={count(plan.courses.length, 'course', 'courses')}
    price={formatPriceEach(plan.priceAmount, plan.currency, plan.interval)}
  />
)

export const productRow: PublicRow<ShownProduct> = (product, place) => (
  <Offer path="/products/" {...place} {...product} />
)

export const eventRow: PublicRow<ShownEvent> = (event, place) => {
  const When = event.isOnline ? MomentInZone : Moment
  return (
    <li>
      <div>
        <Heading path="/events/" {...place} {...event} />
        <p class="row-note" dir="auto">
          {plainText(event.location) || (event.isOnline && 'Online')}
        </p>
      </div>
      <p class="row-note">
        <When at={event.startsAt} timeZone={place.timeZone} />
      </p>
    </li>
  )
}

export const postRow: PublicRow<ShownText> = (post, place) => (
  <li>
    <Heading path="/posts/" {...place} {...post} />
    <p class="row-note">
      <Moment at={post.publishedAt} timeZone={place.timeZone} />
    </p>
  </li>
)

export const pageRow: PublicRow<ShownText> = (page, place) => (
  <li>
    <Heading path="/pages/" {...place} {...page} />
  </li>
)

interface Headed extends Pick<Place, 'heading'> {
  path: string
  slug: string
  title: string
}

function Heading({ heading: Tag, path, slug, title }: Headed) {
  return (
    <Tag dir="auto">
      <a href={path + slug}>{plainText(title) || 'Untitled'}</a>
    </Tag>
  )
}

function Offer(props: ShownOffer & Headed & { summary?: string; price?: string }) {
  const { summary = '', price = formatMoney(props.priceAmount, props.currency) } = props
  return (
    <li>
      <Heading {...props} />
      {summary !== '' && (
        <p class="row-note" dir="auto">
          {plainText(summary)}
        </p>
      )}
      <p class="price">{price}</p>
    </li>
  )
}
