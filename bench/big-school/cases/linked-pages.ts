import type { Asking } from '../asking.ts'

type Headers = Readonly<Record<string, string>>

/** Where to find each page, by its name: the address with ids, cursors and days left out. */
export type LinkedPages = ReadonlyMap<string, string>

/** Far more than there are, so that a link that is new on every page ends the run. */
const MOST_PAGES = 2_000

/** Not pages: what a link downloads, or ends. */
const NO_PAGE = /\/(?:file|audit\/export|sign-out)(?:[/?]|$)/
/** Parts of an address after which comes a name that the school chose. */
const CHOSEN_AFTER = /^(?:applications|assistants|tools)$/
/** Parameters that say which object is meant. */
const SAYS_WHICH = /^(?:id|person|app)$/

/**
 * Follows every link of the admin area, once for each name, so that pages that come later are asked
 * for too. A list links to one object after the other: the first stands for all.
 */
export async function linkedPages(
  asking: Asking,
  headers: Headers,
  starts: readonly string[],
): Promise<LinkedPages> {
  const found = new Map(starts.map((path) => [nameOf(path), path]))
  // A map that grows is walked to its new end.
  for (const path of found.values()) {
    const { status, text } = await asking.ask({ path, headers })
    if (status !== 200) continue
    for (const link of linksIn(text)) {
      const name = nameOf(link)
      if (!found.has(name)) found.set(name, link)
    }
    if (found.size > MOST_PAGES)
      throw new Error(`More than ${MOST_PAGES} pages; the last is ${path}.`)
  }
  return found
}

/** Addresses of the admin area, and of what it shows before it is published. */
function linksIn(page: string): readonly string[] {
  const links = [...page.matchAll(/ href="(\/[^"#]*)/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  )
  return links.filter(
    (link) =>
      (/^\/admin(?:[/?]|$)/.test(link) || link.includes('preview=')) &&
      !NO_PAGE.test(link) &&
      // Every combination of filters and sorts would be too many.
      !link.includes('&'),
  )
}

/** Ids, cursors and days are left out; the word of a filter or a sort is kept. */
function nameOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://school')
  const isPreview = searchParams.has('preview')
  const parts = pathname.split('/').map((part, n, all) => {
    const isChosen = isPreview ? n === 2 : CHOSEN_AFTER.test(all[n - 1] ?? '') && part !== 'new'
    return isChosen || isId(part) ? '…' : part
  })
  const query = [...searchParams].map(([key, value]) =>
    isWord(value) && !SAYS_WHICH.test(key) ? `${key}=${value}` : `${key}=…`,
  )
  return parts.join('/') + (query.length === 0 ? '' : `?${query.join('&')}`)
}

function isId(part: string): boolean {
  return /^[0-9a-f-]{36}$/.test(part)
}

function isWord(value: string): boolean {
  return /^[a-z][a-z0-9_-]{0,20}$/.test(value)
}
