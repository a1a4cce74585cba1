import { sql } from 'kysely'
import { EXPLORER_CLIENT_ID } from '../../src/domain/clients/explorer-client.ts'
import { currentValues } from './admin-browser.ts'
import { hiddenFields, type Visitor } from './browser-like.ts'
import type { TestSchool, World } from './world.ts'

/** A route of the router, such as `/admin/courses/:id/edit`. */
export interface RoutePattern {
  readonly method: string
  readonly url: string
}

export interface CrawledForm {
  readonly action: string
  readonly multipart: boolean
  readonly fields: readonly (readonly [name: string, value: string])[]
}

export interface Crawl {
  /** The addresses of the pages that were opened. */
  readonly pages: readonly string[]
  /** Their HTML, by address. */
  readonly texts: ReadonlyMap<string, string>
  readonly forms: readonly CrawledForm[]
}

/** Two pages of each route show every state of its forms that matters here. */
const PAGES_PER_ROUTE = 2

/**
 * Opens every page of the admin area that links lead to, and collects the forms on them with their
 * values.
 */
export async function crawlAdminArea(
  visitor: Visitor,
  routes: readonly RoutePattern[],
): Promise<Crawl> {
  const waiting = ['/admin']
  const seen = new Set(waiting)
  const visits = new Map<string, number>()
  const texts = new Map<string, string>()
  const forms: CrawledForm[] = []
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const pattern = patternOf(path, routes) ?? path
    const before = visits.get(pattern) ?? 0
    if (before >= PAGES_PER_ROUTE) continue
    visits.set(pattern, before + 1)
    const answer = await visitor.get(path)
    if (answer.statusCode !== 200) continue
    texts.set(path, answer.body)
    forms.push(...formsIn(answer.body))
    for (const [, link = ''] of answer.body.matchAll(/ href="(\/admin[^"#]*)/g)) {
      const next = link.replaceAll('&amp;', '&')
      if (seen.has(next) || /\.css$/.test(next)) continue
      seen.add(next)
      waiting.push(next)
    }
  }
  return { pages: [...texts.keys()], texts, forms }
}

function formsIn(html: string): CrawledForm[] {
  const tags = [...html.matchAll(/<form\b([^>]*)>/g)].map(([, tag = '']) => tag)
  return tags.flatMap((tag) => {
    const action = (/action="([^"]*)"/.exec(tag)?.[1] ?? '').replaceAll('&amp;', '&')
    if (!/method="post"/.test(tag) || !action.startsWith('/admin')) return []
    const { form_token: _, ...hidden } = hiddenFields(html, action)
    const shown = Object.entries(currentValues(html, action)).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one] as const),
    )
    const choices = [...html.matchAll(/<option value="([^"]+)"/g)].map(
      ([, value = '']) => ['choice', value] as const,
    )
    // A select that starts empty offers ids of this school: they are what a copied form would send.
    const [choice] = choices.map(([, value]) => value).filter((value) => UUID.test(value))
    const filled = shown.map(
      ([name, value]) =>
        [name, value === '' && /_id$/.test(name) ? (choice ?? '') : value] as const,
    )
    return [
      {
        action,
        multipart: /multipart/.test(tag),
        fields: [...Object.entries(hidden), ...filled],
      },
    ]
  })
}

export const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** The route of an address; routes without parameters go first. */
export function patternOf(path: string, routes: readonly RoutePattern[]): string | undefined {
  const [address = ''] = path.split('?')
  return expressionsOf(routes).find(({ fits }) => fits.test(address))?.url
}

interface Expression {
  readonly url: string
  readonly fits: RegExp
}

/** A crawl looks up thousands of addresses in hundreds of routes, which are all known by then. */
const expressions = new WeakMap<readonly RoutePattern[], readonly Expression[]>()

function expressionsOf(routes: readonly RoutePattern[]): readonly Expression[] {
  const known = expressions.get(routes)
  if (known !== undefined) return known
  const parameters = (url: string) => url.split(':').length
  const made = [...new Set(routes.map(({ url }) => url))]
    .sort((a, b) => parameters(a) - parameters(b))
    .map((url) => ({ url, fits: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`) }))
  expressions.set(routes, made)
  return made
}

/** Words in the place of an id, and an application that every school has. */
const NOT_OWN = ['', 'new', EXPLORER_CLIENT_ID]

/** Names a template, which every school has. */
const SHARED = ':assistant'

/** An address for every route with a parameter, made of the ids in the given addresses. */
export function addressesOf(
  routes: readonly RoutePattern[],
  known: readonly string[],
): { readonly method: string; readonly url: string; readonly address: string | undefined }[] {
  const paths = known.map((path) => path.split('?')[0] ?? '')
  return routes
    .filter(({ url }) => url.includes(':') && !url.endsWith(SHARED))
    .map(({ method, url }) => {
      const prefix = url.slice(0, url.indexOf('/', url.indexOf(':')) >>> 0)
      const fits = new RegExp(`^${prefix.replace(/:\w+$/, '([^/]+)')}(/|$)`)
      const ids = paths.map((path) => fits.exec(path)?.[1] ?? '')
      const id = ids.find((one) => !NOT_OWN.includes(one))
      return { method, url, address: id === undefined ? undefined : url.replace(/:\w+/, id) }
    })
}

/** A digest of every row of a school, whatever table it is in, and of its people. */
export async function digestOf(world: World, school: TestSchool): Promise<string> {
  const { db } = world.database
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'school_id' order by 1`.execute(db)
  const parts: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
      from ${sql.table(name)} t where school_id = ${school.id}`.execute(db)
    parts.push(`${name} ${rows[0]?.digest}`)
  }
  const { rows } = await sql<{ row: string }>`
    select s::text as row from schools s where id = ${school.id} union all
    select u::text from users u join school_members m on m.user_id = u.id
    where m.school_id = ${school.id} order by 1`.execute(db)
  return [...parts, ...rows.map(({ row }) => row)].join('\n')
}

/** Names and titles of a school that no other page can hold by chance. */
export async function secretsOf(world: World, school: TestSchool): Promise<readonly string[]> {
  const { db } = world.database
  const columns = await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column
    from information_schema.columns c join information_schema.columns s
      on s.table_schema = c.table_schema and s.table_name = c.table_name and s.column_name = 'school_id'
    where c.table_schema = 'public' and c.column_name in ('title', 'name', 'summary')`.execute(db)
  const found = new Set<string>()
  for (const { table, column } of columns.rows) {
    const { rows } = await sql<{ text: string }>`
      select distinct ${sql.ref(column)} as text from ${sql.table(table)}
      where school_id = ${school.id}`.execute(db)
    for (const { text } of rows) if (text.length >= 12) found.add(text)
  }
  const people = await sql<{ email: string }>`
    select u.email from users u join school_members m on m.user_id = u.id
    where m.school_id = ${school.id} and u.email is not null`.execute(db)
  for (const { email } of people.rows) found.add(email)
  return [...found]
}
