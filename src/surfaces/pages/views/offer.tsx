import type { ComponentChildren } from 'preact'
import type { PlanDetails, ProductOfViewer } from '../../../domain/commerce/public-offers.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { HowToGet } from './how-to-get.tsx'
import { MEMBER_PATHS } from './member/member-page.tsx'
import { formatMoney, formatPriceEach } from './money.ts'
import { PUBLIC_LISTS, toList } from './public-list.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { sizeInWords } from './size.ts'
import { WrittenText } from './written-text.tsx'

interface OfferFrame extends SiteFrame {
  contactEmail?: string | undefined
}

const TO_OWN = { url: MEMBER_PATHS.downloads, label: 'Your downloads' }

/** A membership plan that the school offers. */
export function planPage(props: OfferFrame & { plan: PlanDetails }): string {
  const { plan } = props
  const title = plainText(plan.name, 200) || 'Untitled'
  return sitePage({
    ...props,
    title,
    listed: true,
    children: (
      <>
        <PageHead title={title} lang={props.school.language} up={toList(PUBLIC_LISTS.plans)} />
        <Facts
          label="About this membership"
          facts={[
            ['Price', formatPriceEach(plan.priceAmount, plan.currency, plan.interval)],
            ['Courses', String(plan.courses.length)],
          ]}
        >
          <HowToGet {...props} act="subscribe" />
        </Facts>
        <WrittenText school={props.school} text={plan.description} html={plan.html} />
        {plan.shownCourses.length > 0 && (
          <Panel title="Courses of this membership">
            <ul class="rows">
              {plan.shownCourses.map((course) => (
                <li>
                  <h3 dir="auto">
                    <a href={`/courses/${course.slug}`}>{plainText(course.title)}</a>
                  </h3>
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </>
    ),
  })
}

/** A file that the school sells, for visitors and for its owners. */
export function productPage(props: OfferFrame & { product: ProductOfViewer }): string {
  const { product } = props
  const { isOwned, file } = product
  const title = plainText(product.title) || 'Untitled'
  const price: [string, string] = ['Price', formatMoney(product.priceAmount, product.currency)]
  return sitePage({
    ...props,
    title,
    listed: !isOwned,
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={isOwned ? TO_OWN : toList(PUBLIC_LISTS.products)}
        />
        <Facts
          label="About this download"
          facts={[
            ...(isOwned ? [] : [price]),
            ...(file === null ? [] : ([['Size', sizeInWords(file.sizeBytes)]] as const)),
          ]}
        >
          {isOwned && file !== null && (
            <div class="actions">
              <ButtonLink look="primary" href={`/products/${product.slug}/file`}>
                Download
              </ButtonLink>
              <p class="row-note">
                <bdi>{plainText(file.name, 255)}</bdi>
              </p>
            </div>
          )}
          {isOwned && file === null && (
            <p class="row-note">The school has not uploaded the file yet.</p>
          )}
          {!isOwned && <HowToGet {...props} act="buy it" />}
        </Facts>
        <WrittenText school={props.school} text={product.description} html={product.html} />
      </>
    ),
  })
}

function Facts(props: {
  label: string
  facts: readonly (readonly [string, string])[]
  children?: ComponentChildren
}) {
  return (
    <section class="panel" aria-label={props.label}>
      {props.facts.length > 0 && (
        <dl class="facts facts-short">
          {props.facts.map(([term, fact]) => (
            <div>
              <dt>{term}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
        </dl>
      )}
      {props.children}
    </section>
  )
}
