import { PRESETS } from '../../../src/surfaces/pages/admin/analytics/period.ts'
import { listPath } from '../../../src/surfaces/pages/admin/school/resource.ts'
import { RESOURCES } from '../../../src/surfaces/pages/admin/school/resources.ts'
import { MENU, OVERVIEW } from '../../../src/surfaces/pages/views/admin/admin-menu.ts'
import { paths } from '../../../src/surfaces/pages/views/admin/admin-page.tsx'
import { MEMBER_PATHS } from '../../../src/surfaces/pages/views/member/member-page.tsx'
import type { Asking } from '../asking.ts'
import type { BothCallers } from '../callers.ts'
import type { Case } from '../case.ts'
import { findSamples, type Samples, valuesOf } from '../samples.ts'

/** Pages that cannot be opened without more in their address. */
const WITHOUT_MORE: readonly string[] = [paths.client, paths.endAccess]

/** Every page of the admin area: the menu, each list with its filters, sorts and search, each object, each form. */
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
  for (const { href } of [OVERVIEW, ...MENU.flatMap(({ items }) => items)]) same(href)
  for (const path of Object.values(paths)) if (!WITHOUT_MORE.includes(path)) same(path)
  for (const { name } of PRESETS) same(`${paths.analytics}?last=${name}`)
  for (const path of [paths.client, paths.endAccess]) same(`${path}?id=app1`)
  for (const resource of RESOURCES) {
    const path = listPath(resource)
    const { list } = resource
    if (list === undefined) continue
    same(path)
    if (resource.create !== undefined) same(`${path}/new`)
    for (const [sort] of list.sorts) same(`${path}?sort=${sort}`)
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
    const ids = {
      big: await firstIn(asking, callers.big.browser, path),
      small: await firstIn(asking, callers.small.browser, path),
    }
    const rests = [
      '',
      ...(resource.change === undefined ? [] : ['/edit']),
      ...(resource.related ?? []).map((one) => `/${one.path.replace(/^\//, '')}`),
    ]
    for (const rest of rests) {
      add(`${path}/…${rest}`, (school) =>
        ids[school] === undefined ? undefined : `${path}/${ids[school]}${rest}`,
      )
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

/** The id of the first object that a list links to. */
async function firstIn(
  asking: Asking,
  headers: Readonly<Record<string, string>>,
  path: string,
): Promise<string | undefined> {
  const { text } = await asking.ask({ path, headers })
  return new RegExp(`href="${path}/([0-9a-f-]{36})`).exec(text)?.[1]
}
