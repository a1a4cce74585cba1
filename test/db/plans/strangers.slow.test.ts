import { beforeAll, expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { Visitor } from '../../support/browser-like.ts'
import { addExamples, publishExamples } from '../../support/example-school.ts'
import { aToken } from '../../support/member-api.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld, endpointName } from '../../support/request-costs.ts'
import { readTable } from '../../support/statement-table.ts'
import { aTool } from '../../support/tools.ts'
import { testStatements } from './test-statements.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const routes: { readonly method: string; readonly url: string }[] = []
const { world, costs } = await aCountedWorld({
  onRoute: ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url })
  },
})
const school = await world.aSchool({ mcpConnections: true })
const stranger = new Visitor(world, school)

/** URLs of example objects, for the routes with a parameter. Add a line for each new one. */
const EXAMPLE_URLS: Readonly<Record<string, string>> = {
  '/clients/:file': '/clients/reports.json',
  '/courses/:slug': '/courses/first',
  '/courses/:slug/lectures/:id': `/courses/first/lectures/${EXAMPLE.lecture}`,
  '/events/:slug': '/events/evening',
  '/plans/:slug': '/plans/studio',
  '/products/:slug': '/products/book',
  '/posts/:slug': '/posts/hello',
  '/forms/:slug': '/forms/ask',
  '/sitemap-:name.xml': '/sitemap-posts.xml',
  '/pages/:slug': '/pages/imprint',
  '/docs/api/:resource': '/docs/api/courses',
}

/** Every route, without those that answer 405 for a wrong method and those that answer 404. */
async function endpoints(): Promise<string[]> {
  // Only older schools have every endpoint, and only a member gets 405 everywhere.
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
  await addExamples(world, school)
  await publishExamples(school)
  await aTool(world, school)
  const secure = await world.aSchool()
  const origin = 'https://secure.test'
  await world.database.pool.query('update schools set origin = $1 where id = $2', [
    origin,
    secure.id,
  ])
  const urls = routes
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => EXAMPLE_URLS[url] ?? url)
  const asked = ['/healthz', '/readyz', '/tls-allowed?domain=secure.test', '/search?q=first']
  const shown = [...asked, ...urls.filter((url) => !/[:*]/.test(url))]
  const [theme = ''] = /\/theme\.\w+\.css/.exec((await stranger.get('/')).body) ?? []
  answered = await costs.of(async () => {
    for (const url of [...shown, theme]) await stranger.get(url)
  })
})

test('no page that is public reads a whole table', async () => {
  const statements = answered.flatMap((request) => request.statements)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
})

testStatements('Strangers', () => answered)

test('every endpoint has a line in the table', async () => {
  const lines = Object.values(readTable()).flatMap((part) => Object.keys(part))
  const counted = new Set(lines.map((line) => line.split(' ').slice(0, 2).join(' ')))
  const missing = (await endpoints()).filter((endpoint) => !counted.has(endpoint))
  const advice =
    'no test in test/db/plans requests these: add a request there, and run npm run docs'
  expect(missing, advice).toEqual([])
})
