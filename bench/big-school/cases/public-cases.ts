import type { Asking } from '../asking.ts'
import type { BothCallers, Callers } from '../callers.ts'
import type { Case } from '../case.ts'

/** Where the REST API lists what has a public page, and the page. */
const KINDS = [
  ['/courses?state=published', '/courses'],
  ['/events?state=published', '/events'],
  ['/membership-plans?state=published', '/plans'],
  ['/digital-products?state=published', '/products'],
  ['/posts?state=published', '/posts'],
  ['/pages?state=published', '/pages'],
  ['/forms?state=open', '/forms'],
] as const

/**
 * The public pages, for a visitor and for a member, and the lecture with which a busy member goes
 * on.
 */
export async function publicCases(asking: Asking, callers: BothCallers): Promise<readonly Case[]> {
  const cases: Case[] = []
  const add = (name: string, big: string | undefined, small: string | undefined) => {
    const pathAt = ({ school }: Callers) => (school.name === 'big' ? big : small)
    const asked = (one: Callers, headers: Readonly<Record<string, string>>) => {
      const path = pathAt(one)
      return path === undefined ? undefined : { path, headers }
    }
    cases.push({
      group: 'Public pages, for a visitor',
      name,
      ask: (one) => asked(one, { host: one.school.host }),
    })
    cases.push({
      group: 'Public pages, for a busy member',
      name,
      ask: (one) => asked(one, one.busyBrowser),
    })
  }
  add('/', '/', '/')
  for (const [list, page] of KINDS) {
    const first = async (one: Callers) => await firstPage(asking, one, list, page)
    add(`${page}/…`, await first(callers.big), await first(callers.small))
    if (page !== '/forms') add(page, page, page)
  }
  const next = {
    big: await nextLecture(asking, callers.big),
    small: await nextLecture(asking, callers.small),
  }
  cases.push({
    group: 'Public pages, for a busy member',
    name: '/courses/…/lectures/…',
    ask({ school, busyBrowser: headers }) {
      const path = next[school.name]
      return path === undefined ? undefined : { path, headers }
    },
  })
  return cases
}

async function firstPage(
  asking: Asking,
  { operator: headers }: Callers,
  list: string,
  page: string,
): Promise<string | undefined> {
  const found = await asking.json({ path: `/api/v1${list}&limit=1`, headers })
  const [first] = (found?.data ?? []) as { slug: string }[]
  return first === undefined ? undefined : `${page}/${first.slug}`
}

/** Where “Continue” on the home of the busy member leads. */
async function nextLecture(
  asking: Asking,
  { busyBrowser: headers }: Callers,
): Promise<string | undefined> {
  const { text } = await asking.ask({ path: '/account', headers })
  return /href="(\/courses\/[^"/]+\/lectures\/[^"?]+)/.exec(text)?.[1]
}
