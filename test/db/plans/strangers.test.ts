import { beforeAll, expect, test } from 'vitest'
import { Visitor } from '../../support/browser-like.ts'
import { furnishExamples, publishExamples } from '../../support/example-school.ts'
import { aToken } from '../../support/member-api.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld, endpointName } from '../../support/request-costs.ts'
import { readTable } from '../../support/statement-table.ts'
import { testStatements } from './test-statements.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const routes: { readonly method: string; readonly url: string }[] = []
const { world, costs } = await aCountedWorld({
  onRoute: ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url })
  },
})
const school = await world.aSchool()
const stranger = new Visitor(world, school)

/** Addresses of what the school has; a page that needs more has to be added. */
const GIVEN: Readonly<Record<string, string>> = {
  '/courses/:slug': '/courses/first',
  '/events/:slug': '/events/evening',
  '/posts/:slug': '/posts/hello',
  '/pages/:slug': '/pages/imprint',
  '/docs/api/:resource': '/docs/api/courses',
}

/** Every route but those that say which method is the right one, and those for whatever has none. */
async function endpoints(): Promise<string[]> {
  // Only these schools have every endpoint, and only members are told of a wrong method everywhere.
  const older = await world.aSchool({ variant: 'older' })
  const token = await aToken(world, older, await world.aMember(older))
  const headers = { host: new URL(older.origin).host, authorization: `Bearer ${token}` }
  const found: string[] = []
  for (const { method, url } of routes) {
    if (!METHODS.includes(method) || /\*|^\/api\/v1$/.test(url)) continue
    const answer = await world.app.inject({ method: method as 'GET', url, headers })
    if (answer.statusCode !== 405) found.push(endpointName(method, url))
  }
  return found
}

let answered: readonly AnsweredRequest[] = []

beforeAll(async () => {
  await furnishExamples(world, school)
  await publishExamples(school)
  const urls = routes.filter(({ method }) => method === 'GET').map(({ url }) => GIVEN[url] ?? url)
  const shown = ['/healthz', '/readyz', ...urls.filter((url) => !/[:*]/.test(url))]
  const [theme = ''] = /\/theme\.\w+\.css/.exec((await stranger.get('/')).body) ?? []
  answered = await costs.of(async () => {
    for (const url of [...shown, theme]) await stranger.get(url)
  })
})

test('whatever strangers may see reads no whole table', async () => {
  const statements = answered.flatMap((request) => request.statements)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
})

testStatements('Strangers', () => answered)

test('every endpoint has a line in the table', async () => {
  const lines = Object.values(readTable()).flatMap((part) => Object.keys(part))
  const counted = new Set(lines.map((line) => line.split(' ').slice(0, 2).join(' ')))
  const missing = (await endpoints()).filter((endpoint) => !counted.has(endpoint))
  const advice =
    'nothing in test/db/plans asks for these: have it done there, and write the table anew'
  expect(missing, advice).toEqual([])
})
