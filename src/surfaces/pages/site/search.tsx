import type { FastifyInstance } from 'fastify'
import { type CatalogueHit, searchCatalogue } from '../../../domain/catalogue/search-catalogue.ts'
import { Name } from '../../../foundation/html/components.tsx'
import { Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import { checkRate, createAddressRateLimiter } from '../../../foundation/http/rate-limit.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, SITE_SEARCH_PATH, type SiteFrame, sitePage } from '../frame/layout.tsx'
import { beginningOf } from '../frame/parts.tsx'
import { PUBLIC_LISTS } from '../frame/public-lists.ts'
import { readSearch, type Search } from '../frame/search-field.tsx'
import { visitOf } from '../frame/visit.ts'

const PER_KIND = 10
const EXCERPT_LENGTH = 160

const KINDS: Readonly<Record<CatalogueHit['kind'], { label: string; path: string }>> = {
  course: { label: 'Course', path: PUBLIC_LISTS.courses.path },
  event: { label: 'Event', path: PUBLIC_LISTS.events.path },
  membership_plan: { label: 'Membership', path: PUBLIC_LISTS.plans.path },
  digital_product: { label: 'Download', path: PUBLIC_LISTS.products.path },
  post: { label: 'News', path: PUBLIC_LISTS.posts.path },
  page: { label: 'Page', path: PUBLIC_LISTS.pages.path },
}

/** A search of what the school shows to everyone, for everyone. It is what `search` at /mcp is. */
export function addSiteSearchRoute(app: FastifyInstance, context: AppContext): void {
  const searches = createAddressRateLimiter({
    name: 'search',
    quota: context.limits.toolCallsPerMinute,
    windowSeconds: 60,
  })
  app.get(SITE_SEARCH_PATH, async (request, reply) => {
    const search = readSearch(queryOf(request))
    if (!search.isTooShort) checkRate(searches, clientAddress(request), reply)
    const [visit, hits] = await Promise.all([
      visitOf(context, request, reply),
      search.isTooShort ? [] : searchCatalogue(request.schoolDb, search.text, PER_KIND),
    ])
    return visit.page(siteSearchPage({ ...visit.frame(), ...search, hits }))
  })
}

interface SiteSearchProps extends SiteFrame, Search {
  hits: readonly CatalogueHit[]
}

export function siteSearchPage(props: SiteSearchProps): string {
  const { text, isTooShort, hits } = props
  const isCut = Object.keys(KINDS).some(
    (kind) => hits.filter((hit) => hit.kind === kind).length === PER_KIND,
  )
  return sitePage({
    ...props,
    title: 'Search',
    searchText: text,
    children: (
      <>
        <PageHead
          title="Search"
          up={{ url: '/', label: 'Home' }}
          lead={
            isTooShort ? (
              'Write at least two letters of what you are looking for.'
            ) : (
              <>
                What the school shows with “
                <Name text={text} fallback="" />
                ”.
              </>
            )
          }
        />
        {!isTooShort && (
          <section class="panel" aria-label="Found">
            {hits.length === 0 ? (
              <Empty>
                <p>Nothing here has all of these words. Try fewer or shorter ones.</p>
              </Empty>
            ) : (
              <ul class="rows">{hits.map((hit) => Hit(hit))}</ul>
            )}
          </section>
        )}
        {isCut && (
          <p class="row-note">
            {`At most ${PER_KIND} of each kind are shown. With more words you find fewer.`}
          </p>
        )}
      </>
    ),
  })
}

function Hit({ kind, slug, title, ...written }: CatalogueHit) {
  const { label, path } = KINDS[kind]
  // The text of a course is its summary, and not what was rendered.
  const text = (kind === 'course' && written.text) || beginningOf(written)
  const excerpt = plainText(text, EXCERPT_LENGTH)
  return (
    <li>
      <div>
        <h2 dir="auto">
          <a href={`${path}/${slug}`}>{plainText(title) || 'Untitled'}</a>
        </h2>
        {excerpt !== '' && (
          <p class="row-note" dir="auto">
            {excerpt}
          </p>
        )}
      </div>
      <p class="row-note">{label}</p>
    </li>
  )
}
