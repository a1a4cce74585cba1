import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import {
  findPublicPlan,
  findPublicProduct,
  type PlanDetails,
  type ProductOfViewer,
} from '../../../domain/commerce/public-offers.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Facts } from '../../../foundation/html/components.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { sendFile } from '../frame/files.ts'
import { type SiteFrame, sitePage, slugOf } from '../frame/layout.tsx'
import { beginningOf, WrittenText } from '../frame/parts.tsx'
import { MEMBER_PATHS } from '../frame/paths.ts'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { memberOf } from '../frame/session.ts'
import { signedInVisit, visitOf } from '../frame/visit.ts'
import { formatMoney, formatPriceEach, sizeInWords } from '../frame/words.ts'
import { toList } from './lists.tsx'
import { isPreview, withPreviewMark } from './writing.tsx'

/** The pages of plans and downloads; the owners of a download get its file. */
export function addOfferRoutes(app: FastifyInstance, context: AppContext): void {
  const { files } = context

  app.get('/plans/:slug', async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const isMarked = isPreview(request, session)
    const plan = await findPublicPlan(request.schoolDb, slugOf(request), isMarked)
    if (plan === undefined) throw notFound()
    const frame = visit.frame()
    const { contactEmail } = request.school
    const page = planPage({ ...withPreviewMark(frame, isMarked, plan), plan, contactEmail })
    return visit.page(page)
  })

  app.get('/products/:slug', async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const isMarked = isPreview(request, session)
    const product = await loadProduct(request, session, isMarked)
    const frame = visit.frame()
    const { contactEmail } = request.school
    const page = productPage({
      ...withPreviewMark(frame, isMarked, product),
      product,
      contactEmail,
    })
    return visit.page(page)
  })

  if (files === undefined) return
  app.get('/products/:slug/file', async (request, reply) => {
    const visit = await signedInVisit(context, request, reply)
    const { session } = visit
    const { isOwned, file } = await loadProduct(request, session)
    if (!isOwned) throw new RequestRefusedError(403, 'You do not have this download.')
    return await sendFile(request, reply, files, file?.id)
  })
}

async function loadProduct(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  isMarked = false,
): Promise<ProductOfViewer> {
  const { schoolDb: db } = request
  const product = await findPublicProduct(db, slugOf(request), memberOf(session), isMarked)
  if (product === undefined) throw notFound()
  return product
}

function notFound(): RequestRefusedError {
  return new RequestRefusedError(404, 'This page does not exist, or it is no longer public.')
}

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
    listed: {
      path: `/plans/${plan.slug}`,
      description: beginningOf({ text: plan.description, html: plan.html }),
    },
    children: (
      <>
        <PageHead title={title} lang={props.school.language} up={toList(PUBLIC_LISTS.plans)} />
        <FactsPanel
          label="About this membership"
          facts={[
            ['Price', formatPriceEach(plan.priceAmount, plan.currency, plan.interval)],
            ['Courses', String(plan.courses.length)],
          ]}
        >
          <HowToGet {...props} act="subscribe" />
        </FactsPanel>
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
    listed: !isOwned && {
      path: `/products/${product.slug}`,
      description: beginningOf({ text: product.description, html: product.html }),
    },
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={isOwned ? TO_OWN : toList(PUBLIC_LISTS.products)}
        />
        <FactsPanel
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
        </FactsPanel>
        <WrittenText school={props.school} text={product.description} html={product.html} />
      </>
    ),
  })
}

function FactsPanel(props: {
  label: string
  facts: readonly (readonly [string, string])[]
  children?: ComponentChildren
}) {
  return (
    <section class="panel" aria-label={props.label}>
      {props.facts.length > 0 && <Facts look="facts facts-short" rows={props.facts} />}
      {props.children}
    </section>
  )
}

interface HowToGetProps extends Pick<SiteFrame, 'viewer' | 'here'> {
  /** What the reader wants to do: "enroll". */
  act: string
  /** To readers who are not signed in. */
  question?: string
  /** Absent if the school gave none. */
  contactEmail?: string | undefined
}

/** The next step of a reader who does not have an offer yet: schools take payments themselves. */
export function HowToGet(props: HowToGetProps) {
  const { act, question = 'Do you have it already?', viewer, here, contactEmail } = props
  return (
    <p class="row-note">
      {contactEmail === undefined ? (
        `Ask the school how to ${act}.`
      ) : (
        <>
          To {act}, write to <a href={`mailto:${encodeURI(contactEmail)}`}>{contactEmail}</a>.
        </>
      )}
      {viewer === undefined && (
        <>
          {' '}
          {question} <a href={`/sign-in?return_to=${encodeURIComponent(here)}`}>Sign in</a>
        </>
      )}
    </p>
  )
}
