import { describe, expect, test } from 'vitest'
import { signIn } from '../../src/domain/people/sign-in.ts'
import { verifies } from '../spec/verifies.ts'
import { aStage, expectPage } from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { aWorld, PASSWORD } from '../support/world.ts'

const world = await aWorld()
const stage = await aStage(world)
const key = world.context.keyring.key('sign-in-throttle')
let next = 0
/** A fresh address for each test, so that they do not count against each other. */
const anAddress = () => `198.51.100.${++next}`

const attempt = (email: string, password: string, address: string, schoolId = stage.school.id) =>
  signIn(world.database.db, key, { email, password, address, schoolId })

async function failTimes(times: number, email: string, address: string): Promise<string[]> {
  const kinds: string[] = []
  for (let i = 0; i < times; i++) kinds.push((await attempt(email, 'wrong', address)).kind)
  return kinds
}

const forget = () => world.database.pool.query('delete from sign_in_throttles')

test('a storm at one school is told to come back; the right password at another signs in', async () => {
  await forget()
  const { email } = await world.aPerson()
  const storm = Promise.all(
    Array.from({ length: 150 }, (_, n) =>
      attempt(`stranger${n}@storm.example`, 'wrong', `203.0.113.${n}`, 'stormy'),
    ),
  )
  expect(await attempt(email, PASSWORD, anAddress(), 'calm')).toMatchObject({ kind: 'signed_in' })
  const kinds = (await storm).map(({ kind }) => kind)
  expect(new Set(kinds)).toEqual(new Set(['refused', 'busy']))
  // Who was turned away unchecked may try again at once: it counts as no failure.
  const { rows } = await world.database.pool.query<{ failures: number }>(
    'select sum(failures)::int as failures from sign_in_throttles',
  )
  expect(rows[0]?.failures).toBe(3 * kinds.filter((kind) => kind === 'refused').length)
})

describe('failed sign-ins', () => {
  verifies(
    'pages.sign-in.throttled',
    'ten from one address shut an account there, with the right password too, until the window ends',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      const address = anAddress()
      expect(new Set(await failTimes(10, email, address))).toEqual(new Set(['refused']))
      const shut = await attempt(email, PASSWORD, address)
      expect(shut).toMatchObject({ kind: 'throttled' })
      if (shut.kind !== 'throttled') throw new Error('not throttled')
      expect(shut.retryAfterSeconds).toBeGreaterThan(0)
      expect(shut.retryAfterSeconds).toBeLessThanOrEqual(15 * 60)
      await world.database.pool.query('update sign_in_throttles set window_ends_at = now()')
      expect((await attempt(email, PASSWORD, address)).kind).toBe('signed_in')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'a stranger elsewhere who types somebody’s email wrongly ten times does not lock them out',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      await failTimes(12, email, anAddress())
      expect((await attempt(email, PASSWORD, anAddress())).kind).toBe('signed_in')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'guesses at one account from many addresses are stopped at fifty',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      for (let i = 0; i < 10; i++) await failTimes(5, email, anAddress())
      expect((await attempt(email, PASSWORD, anAddress())).kind).toBe('throttled')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'one address that tries many accounts is stopped at a hundred, others are not',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      const address = anAddress()
      // Unknown accounts count like known ones, and cost no hash here to keep the test short.
      const tooLong = 'x'.repeat(2000)
      for (let i = 0; i < 100; i++) await attempt(`nobody${i}@people.test`, tooLong, address)
      expect((await attempt(email, PASSWORD, address)).kind).toBe('throttled')
      expect((await attempt(email, PASSWORD, anAddress())).kind).toBe('signed_in')
    },
  )

  verifies(
    ['pages.sign-in.throttled', 'house.limits.generous'],
    'successes never count, nor do tries while shut out, and a success forgets the failures before it',
    async () => {
      await forget()
      const address = anAddress()
      const { email } = await world.aPerson()
      for (let i = 0; i < 12; i++) {
        expect((await attempt(email, PASSWORD, address)).kind).toBe('signed_in')
      }
      await failTimes(9, email, address)
      expect((await attempt(email, PASSWORD, address)).kind).toBe('signed_in')
      expect(new Set(await failTimes(10, email, address))).toEqual(new Set(['refused']))
      // A password manager that keeps trying must not shut out the office around it.
      await failTimes(120, email, address)
      const colleague = await world.aPerson()
      expect((await attempt(colleague.email, PASSWORD, address)).kind).toBe('signed_in')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'of forty guesses sent at once ten are looked at: none slips past the count',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      const address = anAddress()
      const kinds = await Promise.all(
        Array.from({ length: 40 }, async () => (await attempt(email, 'wrong', address)).kind),
      )
      expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(10)
      expect(kinds.filter((kind) => kind === 'throttled')).toHaveLength(30)
    },
  )

  verifies(
    ['pages.sign-in.throttled', 'house.limits.generous'],
    'forty right passwords sent at once all sign in, and leave nothing counted',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      const address = anAddress()
      const kinds = await Promise.all(
        Array.from({ length: 40 }, async () => (await attempt(email, PASSWORD, address)).kind),
      )
      expect(kinds).toEqual(Array.from({ length: 40 }, () => 'signed_in'))
      const { rows } = await world.database.pool.query('select 1 from sign_in_throttles')
      expect(rows).toHaveLength(0)
    },
  )

  verifies(
    ['pages.sign-in.throttled', 'house.limits.generous'],
    'an office of a hundred and ten that signs in at the same moment is not shut out',
    async () => {
      await forget()
      const address = anAddress()
      const people = await Promise.all(Array.from({ length: 110 }, () => world.aPerson()))
      const kinds = await Promise.all(
        people.map(async ({ email }) => (await attempt(email, PASSWORD, address)).kind),
      )
      expect(new Set(kinds)).toEqual(new Set(['signed_in']))
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'more at once than can wait for their turn are told that it is busy, and count for nothing',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      const address = anAddress()
      const kinds = await Promise.all(
        Array.from({ length: 80 }, async () => (await attempt(email, PASSWORD, address)).kind),
      )
      expect(kinds.filter((kind) => kind === 'signed_in')).toHaveLength(68)
      expect(kinds.filter((kind) => kind === 'busy')).toHaveLength(12)
    },
  )

  test('nothing readable about people is kept', async () => {
    await forget()
    const { email } = await world.aPerson()
    await failTimes(1, email, '203.0.113.9')
    const { rows } = await world.database.pool.query('select bucket from sign_in_throttles')
    expect(rows).toHaveLength(3)
    for (const { bucket } of rows) expect(bucket).toHaveLength(32)
  })
})

verifies(
  ['pages.sign-in.throttled', 'pages.sign-in.no-oracle'],
  'the page says 429 and when to come back, alike for accounts that exist and that do not',
  async () => {
    const known = await world.aPerson()
    const unknown = { ...known, email: 'still-nobody@people.test' }
    const pages: string[] = []
    for (const who of [known, unknown]) {
      await forget()
      const visitor = new Visitor(world, stage.school)
      const form = await visitor.get('/sign-in')
      for (let i = 0; i < 10; i++) await visitor.signIn(form, who, 'wrong')
      const answer = await visitor.signIn(form, who)
      expectPage(answer, 429)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800)
      pages.push(answer.body.replaceAll(who.email, 'EMAIL').replace(/value="[^"]{60,}"/g, ''))
    }
    expect(pages[1]).toBe(pages[0])
  },
)
