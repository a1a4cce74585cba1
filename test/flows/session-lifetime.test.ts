import { expect, test } from 'vitest'
import { Visitor } from '../support/browser-like.ts'
import { signedIn } from '../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()

/** Moves all times of a person's sessions into the past. */
async function age({ id }: TestPerson, interval: string): Promise<void> {
  await world.database.pool.query(
    `update browser_sessions set created_at = created_at - $2::interval, last_seen_at = last_seen_at - $2::interval,
       expires_at = expires_at - $2::interval where user_id = $1`,
    [id, interval],
  )
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).statusCode === 200

test('a session that is not used for 14 days has ended; each use gives it 14 days more', async () => {
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  for (let week = 0; week < 3; week++) {
    await age(ada, '13 days')
    expect(await isSignedIn(visitor)).toBe(true)
  }
  await age(ada, '14 days')
  expect(await isSignedIn(visitor)).toBe(false)
})

test('a session that is used every day has ended after 90 days', async () => {
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  for (let days = 0; days < 80; days += 10) {
    await age(ada, '10 days')
    expect(await isSignedIn(visitor)).toBe(true)
  }
  await age(ada, '10 days')
  expect(await isSignedIn(visitor)).toBe(false)
})

test('a browser that sends no cookie, or one that was made up, has no session', async () => {
  const stranger = new Visitor(world, school)
  expect(await isSignedIn(stranger)).toBe(false)
  const visitor = await signedIn(world, school, await world.aMember(school))
  const [name = '', value = ''] =
    Object.entries(visitor.cookies()).find(([, one]) => one.startsWith('sg_ss_')) ?? []
  stranger.plant(name, `${value.slice(0, -20)}${'A'.repeat(20)}`)
  expect(await isSignedIn(stranger)).toBe(false)
})
