import { expect, test } from 'vitest'
import { DEMO_PASSWORD, moveDemoOrigins } from '../../src/demo/demo-world.ts'
import { anOperator } from '../support/admin-api.ts'
import { Visitor } from '../support/browser-like.ts'
import { aDemoWorld } from '../support/demo-database.ts'
import { blocksOf } from '../support/guide-blocks.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { printed } from '../support/printed.ts'
import { portOf } from '../support/raw-http.ts'
import { aWorld, type TestPerson, type TestSchool, type World } from '../support/world.ts'

/**
 * From a page to a token: its commands run in a shell, between them a person signs in and allows.
 */

const scriptsOf = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)

const from = (scripts: readonly string[], start: string): string =>
  scripts.find((text) => text.startsWith(start)) ?? 'false'

async function codeOf(world: World, at: TestSchool, person: TestPerson, address: string) {
  const visitor = new Visitor(world, at)
  const { pathname, search } = new URL(address)
  const signIn = await visitor.follow(await visitor.get(pathname + search))
  const consent = await visitor.follow(await visitor.signIn(signIn, person))
  const { location } = (await visitor.decide(consent, 'allow')).headers
  expect(location).toMatch(/^http:\/\/127\.0\.0\.1:9876\/callback\?code=[^&]+&/)
  return /code=([^&]+)/.exec(String(location))?.[1] ?? ''
}

/** Keeps what the first script sets, as the same terminal does. */
const WORDS = ['ORIGIN', 'BASE', 'CLIENT_ID', 'VERIFIER']
const keep = `for name in ${WORDS.join(' ')}; do eval "echo $name=\\$\{$name:-}"; done`

test('the last step of the installation ends with an access token and an ID token', async () => {
  const world = await aWorld()
  const at = await aListeningSchool(world, { signing: 'active' })
  const person = await world.aMember(at)
  const { clientId } = await world.aPublicClient(at, {
    scopes: ['openid', 'profile', 'account:read'],
  })
  const scripts = scriptsOf('docs/guides/install.md')
  const ask = from(scripts, 'ORIGIN=')
    .replace(/^ORIGIN=.*/m, `ORIGIN=${at.origin}`)
    .replace(/^CLIENT_ID=.*/m, `CLIENT_ID=${clientId}`)
  const lines = (await printed(ask, keep)).split('\n')
  const code = await codeOf(world, at, person, lines[0] ?? '')
  const answer = JSON.parse(
    await printed(...lines.slice(1), from(scripts, 'CODE=').replace(/^CODE=.*/m, `CODE=${code}`)),
  )
  expect(answer).toMatchObject({
    access_token: expect.stringMatching(/^sg_at_/),
    id_token: expect.any(String),
  })
})

test("the README leads to a member's data in the demo world", async () => {
  const world = await aDemoWorld()
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const port = portOf(world.app.server)
  await moveDemoOrigins(world.database.db, port)
  const origin = `http://localhost:${port}`
  const at = { origin } as TestSchool
  const ada = { email: 'ada@demo.test', password: DEMO_PASSWORD } as TestPerson
  const scripts = scriptsOf('README.md')
  const pkce = from(scripts, 'BASE=').replace(/^BASE=.*/m, `BASE=${origin}`)
  const lines = (await printed(pkce, from(scripts, 'echo "$BASE'), keep)).split('\n')
  const code = await codeOf(world, at, ada, lines[0] ?? '')
  const exchanged = from(scripts, 'CODE=').replace(/^CODE=.*/m, `CODE=${code}`)
  const { access_token } = JSON.parse(await printed(...lines.slice(1), exchanged))
  const called = from(scripts, 'ACCESS=').replace(/^ACCESS=.*/m, `ACCESS=${access_token}`)
  const [person, data] = (await printed(...lines.slice(1), called)).split('\n')
  expect(JSON.parse(person ?? '')).toMatchObject({ email: 'ada@demo.test' })
  expect(JSON.parse(data ?? '')).toMatchObject({ data: { viewer: { name: expect.any(String) } } })
})

test('the example of the Admin API works as typed, and makes one course however often it is sent', async () => {
  const world = await aWorld()
  const at = await aListeningSchool(world)
  const { accessToken } = await anOperator(world, at, { scopes: 'courses:read courses:write' })
  const script = from(scriptsOf('docs/admin-api.md'), 'ORIGIN=')
    .replace(/^ORIGIN=.*/m, `ORIGIN=${at.origin}`)
    .replace(/^TOKEN=.*/m, `TOKEN=${accessToken}`)
  for (let time = 0; time < 2; time += 1) {
    const [made, list] = (await printed(script)).split('\n').map((line) => JSON.parse(line))
    expect(made).toMatchObject({ slug: 'drawing', state: 'draft' })
    expect(list.data).toMatchObject([{ id: made.id }])
  }
})
