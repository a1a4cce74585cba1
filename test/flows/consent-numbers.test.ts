import { expect, test } from 'vitest'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { aSetup, type Setup, signedIn } from '../support/authorization.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { aToken, read } from '../support/member-api.ts'
import { giveEverything } from '../support/member-with-everything.ts'
import { aWorld, CALLBACK, type TestClient, type TestSchool } from '../support/world.ts'

const world = await aWorld()

/** The small lines under what an app may see. */
function numbersOn(html: string): string[] {
  return [...html.matchAll(/<span class="scope-count">([^<]*)<\/span>/g)].map(
    ([, text]) => text ?? '',
  )
}

async function numbersFor(setup: Setup, scope: string): Promise<string[]> {
  const { page } = await signedIn(setup, { scope })
  return numbersOn(page.body)
}

async function aPlatform(school: TestSchool): Promise<TestClient> {
  const answer = await world.app.inject({
    method: 'POST',
    url: '/api/oauth/register',
    headers: { host: new URL(school.origin).host },
    payload: { client_name: 'Claude' },
  })
  return { clientId: answer.json().client_id, secret: undefined, redirectUri: CALLBACK }
}

test('a member reads how much is behind account:read, as the Member API counts it', async () => {
  const own = await aSetup(world)
  await giveEverything(own.school, own.person, 2)
  expect(await numbersFor(own, 'openid account:read')).toEqual([
    '2 courses, 2 payments, 4 bookings, 2 event registrations, 2 downloads, 2 notifications',
  ])
  const token = await aToken(world, own.school, own.person)
  const { viewer } = await read<{ viewer: Record<string, { totalCount: number }> }>(
    world,
    own.school,
    token,
    `{ viewer {
      enrolledCourses(first: 1) { totalCount } payments(first: 1) { totalCount }
      consultingMeetings(first: 1) { totalCount } eventRegistrations(first: 1) { totalCount }
      digitalProducts(first: 1) { totalCount } notifications(first: 1) { totalCount } } }`,
  )
  expect(Object.values(viewer).map(({ totalCount }) => totalCount)).toEqual([2, 2, 4, 2, 2, 2])
})

test('a scope without rows behind it has no number, and an empty account says so', async () => {
  const own = await aSetup(world)
  expect(await numbersFor(own, 'openid email account:read account:write')).toEqual([
    'no courses yet',
  ])
})

test('the rows of another member and of another school are not counted', async () => {
  const [own, other] = [await aSetup(world), await aSetup(world)]
  await giveEverything(own.school, await world.aMember(own.school), 1)
  await giveEverything(other.school, other.person, 1)
  await world.aMember(other.school, ['student'], own.person)
  expect(await numbersFor(own, 'account:read')).toEqual(['no courses yet'])
})

test('an older origin gives apps no payments and bookings, so the page counts none', async () => {
  const school = await world.aSchool({ variant: 'older' })
  const client = await world.aPublicClient(school)
  const person = await world.aMember(school)
  await giveEverything(school, person, 1)
  expect(await numbersFor({ world, school, client, person }, 'account:read')).toEqual([
    '1 course, 1 event registration, 1 download, 1 notification',
  ])
})

test('counting ends at a hundred, however many there are', async () => {
  const own = await aSetup(world)
  await own.school.db
    .insert(
      'notifications',
      Array.from({ length: 150 }, (_, n) => ({
        id: uuidv7(),
        user_id: own.person.id,
        kind: 'announcement' as const,
        title: `Number ${n}`,
      })),
    )
    .execute()
  await anEnrollment(own.school, own.person, await aCourse(own.school, [[{}]]))
  expect(await numbersFor(own, 'account:read')).toEqual(['1 course, more than 100 notifications'])
})

test('an operator reads how much of the school each scope shows', async () => {
  const school = await world.aSchool()
  const person = await world.aMember(school, ['owner'])
  const client = await aPlatform(school)
  await giveEverything(school, await world.aMember(school), 1)
  const scope = 'courses:read students:read members:read coupons:read analytics:read courses:write'
  expect(await numbersFor({ world, school, client, person }, scope)).toEqual([
    '1 course',
    '1 student',
    '2 members',
    'no coupons yet',
  ])
})
