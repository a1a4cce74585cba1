import { expect, onTestFinished, test } from 'vitest'
import { expectPage } from '../../support/authorization.ts'
import { Visitor } from '../../support/browser-like.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()

test('an unknown path gets the not-found page of the school', async () => {
  const school = await world.aSchool()
  const answer = await new Visitor(world, school).get('/no/such/page')
  expect(answer.statusCode).toBe(404)
  expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(answer.body).toMatch(/href="\/theme\.[0-9a-f]+\.css"/)
  expect(answer.body).toContain('href="/"')
})

test('the not-found page of an unknown host names no school', async () => {
  const school = await world.aSchool()
  const answer = await world.app.inject({
    url: '/no/such/page',
    headers: { host: `not-${new URL(school.origin).host}`, accept: 'text/html' },
  })
  expect(answer.statusCode).toBe(404)
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(answer.body).not.toContain('theme.')
})

test('the page of an unknown host finds its stylesheets and pictures there', async () => {
  const host = 'no-school.example'
  const page = await world.app.inject({ url: '/', headers: { host, accept: 'text/html' } })
  expect(page.statusCode).toBe(404)
  const files = [...page.body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, url]) => url)
  expect(files.some((url) => url?.endsWith('.css'))).toBe(true)
  for (const url of files) {
    const file = await world.app.inject({ url: url ?? '', headers: { host } })
    expect(file.statusCode, url).toBe(200)
  }
})

test('the not-found page of the admin area links back to it', async () => {
  const school = await world.aSchool()
  const visitor = new Visitor(world, school)
  const owner = await world.aMember(school, ['owner'])
  await visitor.signIn(await visitor.get('/sign-in'), owner)
  const answer = await visitor.get('/admin/clients/view?id=unknown')
  expectPage(answer, 404)
  expect(answer.body).toContain('There is no client with this client_id here.')
  expect(answer.body).toContain('href="/admin"')
})

test('the page of a server error says so, with a reference and without the cause', async () => {
  const school = await world.aSchool()
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), await world.aMember(school))
  const { pool } = world.database
  await pool.query('alter table browser_sessions rename to lost_sessions')
  onTestFinished(async () => {
    await pool.query('alter table lost_sessions rename to browser_sessions')
  })
  const answer = await visitor.get('/account')
  expectPage(answer, 500)
  expect(answer.body).toContain('our mistake')
  expect(answer.body).toContain(String(answer.headers['x-request-id']))
  expect(answer.body).not.toMatch(/browser_sessions|relation|select/)
})
