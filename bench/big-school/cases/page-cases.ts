import { PRESETS } from '../../../src/surfaces/pages/admin/analytics/period.tsx'
import { type AdminResource, listPath } from '../../../src/surfaces/pages/admin/crud/resource.ts'
import { actionsForMany, selectionPath } from '../../../src/surfaces/pages/admin/crud/selection.tsx'
import { MENU, SEARCH_PATH, TOP } from '../../../src/surfaces/pages/admin/frame/admin-page.tsx'
import { RESOURCES } from '../../../src/surfaces/pages/admin/resources/all-resources.ts'
import { adminPaths, MEMBER_PATHS } from '../../../src/surfaces/pages/frame/paths.ts'
import type { Asking } from '../asking.ts'
import type { BothCallers } from '../callers.ts'
import type { Case } from '../case.ts'
import { findSamples, type Samples, valuesOf, WORDS } from '../samples.ts'
import { linkedPages } from './linked-pages.ts'

/** A week in the middle of the rows. */
const DAYS = `from=${dayAgo(365)}&to=${dayAgo(358)}`

/**
 * Every page of the admin area that a link leads to, and each list with its filters, sorts and
 * search.
 */
export async function pageCases(asking: Asking, callers: BothCallers): Promise<readonly Case[]> {
  const samples = {
    big: await findSamples(asking, callers.big),
    small: await findSamples(asking, callers.small),
  }
  const cases: Case[] = []
  const add = (path: string, asked: (school: 'big' | 'small') => string | undefined) => {
    if (cases.some(({ name }) => name === path)) return
    cases.push({
      group: 'Admin pages',
      name: path,
      ask({ school, browser }) {
        const found = asked(school.name)
        return found === undefined ? undefined : { path: found, headers: browser }
      },
    })
  }
  const same = (path: string) => add(path, () => path)
  const starts = [...TOP, ...MENU.flatMap(({ items }) => items)].map(({ href }) => href)
  for (const { name } of PRESETS) same(`${adminPaths.analytics}?last=${name}`)
  for (const word of WORDS) {
    add(`${SEARCH_PATH}?q=${word}`, () => `${SEARCH_PATH}?q=${encodeURIComponent(word)}`)
  }
  add(`${adminPaths.audit}?from=…&to=…`, () => `${adminPaths.audit}?${DAYS}`)
  const linked = {
    big: await linkedPages(asking, callers.big.browser, starts),
    small: await linkedPages(asking, callers.small.browser, starts),
  }
  for (const name of new Set([...linked.small.keys(), ...linked.big.keys()])) {
    add(name, (school) => linked[school].get(name))
  }
  for (const resource of RESOURCES) {
    const path = listPath(resource)
    const { list } = resource
    if (list === undefined) continue
    for (const [sort] of list.sorts) same(`${path}?sort=${sort}`)
    if (actionsForMany(resource).length > 0) {
      const selected = {
        big: await selectAll(asking, callers.big.browser, resource),
        small: await selectAll(asking, callers.small.browser, resource),
      }
      add(selectionPath(resource), (school) => selected[school])
    }
    if ('search' in list.operation.input.shape) {
      for (const word of valuesOf(
        'search',
        list.operation.input.shape.search as never,
        samples.small,
      )) {
        add(`${path}?search=${word}`, () => `${path}?search=${encodeURIComponent(word)}`)
      }
    }
    for (const { name, schema, choices } of list.filters) {
      const values = (known: Samples) =>
        Array.isArray(choices)
          ? choices.map(([value]) => String(value))
          : valuesOf(name, schema, known)
      values(samples.small).forEach((value, n) => {
        const shown = /^[0-9a-f-]{36}$/.test(value) ? '…' : value
        add(`${path}?${name}=${shown}`, (school) => {
          const own = values(samples[school])[n]
          return own === undefined ? undefined : `${path}?${name}=${encodeURIComponent(own)}`
        })
      })
    }
  }
  for (const path of [
    ...Object.values(MEMBER_PATHS),
    '/account/bookings?when=past',
    '/account/apps',
  ]) {
    cases.push({
      group: 'Account pages of a busy member',
      name: path,
      ask: ({ busyBrowser: headers }) => ({ path, headers }),
    })
  }
  return cases
}

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** The first page of a list with all its rows selected; undefined if there are none. */
async function selectAll(
  asking: Asking,
  headers: Readonly<Record<string, string>>,
  resource: AdminResource,
): Promise<string | undefined> {
  const { text } = await asking.ask({ path: listPath(resource), headers })
  const ids = [...text.matchAll(/ name="id" value="([0-9a-f-]{36})"/g)].map(([, id]) => `id=${id}`)
  return ids.length === 0 ? undefined : `${selectionPath(resource)}?${ids.join('&')}`
}
