import { expect, test } from 'vitest'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
await aSchoolAt('https://north.test')
await aSchoolAt('https://east.test:8443')
await aSchoolAt('http://south.test')
await aSchoolAt('https://gone.test', new Date())

async function aSchoolAt(origin: string, deletedAt: Date | null = null): Promise<void> {
  const { id } = await world.aSchool()
  await world.database.db
    .updateTable('schools')
    .set({ origin, deleted_at: deletedAt })
    .where('id', '=', id)
    .execute()
}

async function ask(query: string): Promise<number> {
  const answer = await world.app.inject({
    url: `/tls-allowed${query}`,
    headers: { host: 'server-one:3000' },
  })
  expect(answer.headers['cache-control']).toBe('no-store')
  return answer.statusCode
}

test('a proxy may get a certificate for the https host of a school, whatever its letter case', async () => {
  expect(await ask('?domain=north.test')).toBe(200)
  expect(await ask('?domain=NORTH.test')).toBe(200)
})

test('no certificate for a name that a stranger pointed at the proxy, for http, another port or a deleted school', async () => {
  for (const name of [
    'unknown.test',
    'www.north.test',
    'south.test',
    'east.test',
    'gone.test',
    'north.test.',
  ]) {
    expect(await ask(`?domain=${name}`), name).toBe(404)
  }
})

test('no certificate for what is no name: a port, a path, user information, two names, none', async () => {
  for (const query of [
    '',
    '?domain=',
    '?domain=north.test:443',
    '?domain=north.test/x',
    '?domain=a@north.test',
    '?domain=unknown.test&domain=north.test',
    '?domain=north.test&domain=unknown.test',
    `?domain=${'a'.repeat(64)}.test`,
  ]) {
    expect(await ask(query), query).toBe(404)
  }
})
