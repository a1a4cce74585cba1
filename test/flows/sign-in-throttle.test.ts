import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { signIn } from '../../src/domain/people/sign-in.ts'
import { countTry, uncountTries } from '../../src/domain/people/sign-in-counters.ts'
import { verifyPassword } from '../../src/foundation/crypto/password.ts'
import { verifies } from '../spec/verifies.ts'
import { aSetup, expectPage } from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { whileRowHeld } from '../support/row-lock.ts'
import { aWorld, PASSWORD } from '../support/world.ts'

const world = await aWorld()
const setup = await aSetup(world)
const key = world.context.keyring.key('sign-in-throttle')
let next = 0
/** A new IP address for each test, so that tests do not share a count. */
const anAddress = () => `198.51.100.${++next}`

const attempt = (email: string, password: string, address: string, schoolId = setup.school.id) =>
  signIn(world.database.db, key, { email, password, address, schoolId })

async function failTimes(times: number, email: string, address: string): Promise<string[]> {
  const kinds: string[] = []
  for (let i = 0; i < times; i++) kinds.push((await attempt(email, 'wrong', address)).kind)
  return kinds
}

const forget = () => world.database.pool.query('delete from sign_in_throttles')

/** As many checks of passwords at one school as may run and wait, until `work` is done. */
async function whileChecking(schoolId: string, work: () => Promise<void>): Promise<void> {
  let isDone = false
  // The next one comes in the same turn in which one ends, so that no place is free in between.
  const check = async () => {
    while (!isDone) await verifyPassword(undefined, 'wrong', schoolId).catch(() => nextTurn())
  }
  const checks = Array.from({ length: 80 }, check)
  try {
    await work()
  } finally {
    isDone = true
    await Promise.all(checks)
  }
}

test('many sign-ins at one school get "try again later", and do not delay another school', async () => {
  await forget()
  const { email } = await world.aPerson()
  const strangers = Array.from({ length: 5 }, (_, n) => `stranger${n}@storm.example`)
  const enter = async () => {
    const outcomes = strangers.map((one, n) => attempt(one, 'wrong', `203.0.113.${n}`, 'stormy'))
    return new Set((await Promise.all(outcomes)).map(({ kind }) => kind))
  }
  const failures = async () => {
    const { rows } = await world.database.pool.query<{ failures: number | null }>(
      'select sum(failures)::int as failures from sign_in_throttles',
    )
    return rows[0]?.failures ?? 0
  }
  await whileChecking('stormy', async () => {
    expect(await enter()).toEqual(new Set(['busy']))
    expect(await attempt(email, PASSWORD, anAddress(), 'calm')).toMatchObject({ kind: 'signed_in' })
  })
  // A sign-in that was refused without a check does not count as a failure.
  expect(await failures()).toBe(0)
  expect(await enter()).toEqual(new Set(['refused']))
  expect(await failures()).toBe(3 * strangers.length)
})

describe('failed sign-ins', () => {
  verifies(
    'pages.sign-in.throttled',
    'ten from one IP address block the account for it, also with the right password, until the window ends',
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
      await world.database.pool.query(
        "update sign_in_throttles set window_ends_at = now() - interval '1 minute'",
      )
      expect((await attempt(email, PASSWORD, address)).kind).toBe('signed_in')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'ten failures from another IP address do not lock out the owner of the account',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      await failTimes(12, email, anAddress())
      expect((await attempt(email, PASSWORD, anAddress())).kind).toBe('signed_in')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'guesses at one account from many IP addresses are stopped at fifty',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      for (let i = 0; i < 10; i++) await failTimes(5, email, anAddress())
      expect((await attempt(email, PASSWORD, anAddress())).kind).toBe('throttled')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'one IP address that tries many accounts is stopped at a hundred, others are not',
    async () => {
      await forget()
      const { email } = await world.aPerson()
      const address = anAddress()
      // Unknown accounts count like known ones. The too long password saves the time of a hash.
      const tooLong = 'x'.repeat(2000)
      for (let i = 0; i < 100; i++) await attempt(`unknown${i}@people.test`, tooLong, address)
      expect((await attempt(email, PASSWORD, address)).kind).toBe('throttled')
      expect((await attempt(email, PASSWORD, anAddress())).kind).toBe('signed_in')
    },
  )

  verifies(
    ['pages.sign-in.throttled', 'house.limits.generous'],
    'successes and attempts while blocked do not count, and a success clears earlier failures',
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
      // A password manager that retries must not block its whole office.
      await failTimes(120, email, address)
      const colleague = await world.aPerson()
      expect((await attempt(colleague.email, PASSWORD, address)).kind).toBe('signed_in')
    },
  )

  verifies(
    'pages.sign-in.throttled',
    'of forty guesses sent at once only ten are checked',
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
    'forty right passwords sent at once all sign in, and nothing stays counted',
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

  test('a try that is taken back while another one is leaves nothing counted', async () => {
    await forget()
    const limits = [{ bucket: Buffer.alloc(32, 7), failures: 10 }]
    for (let tries = 0; tries < 2; tries++) await countTry(world.database.db, limits, 15)
    await whileRowHeld(
      world.database.connection,
      {
        lock: 'update sign_in_throttles set failures = failures - 1 where bucket = $1::bytea',
        id: `\\x${limits[0]?.bucket.toString('hex')}`,
      },
      () => uncountTries(world.database.db, { returned: limits }),
      async (waiting, holder) => {
        await waiting(1)
        await holder.query('commit')
      },
    )
    const { rows } = await world.database.pool.query('select failures from sign_in_throttles')
    expect(rows).toEqual([])
  })

  verifies(
    ['pages.sign-in.throttled', 'house.limits.generous'],
    'an office of 110 people who sign in at the same moment is not blocked',
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
    'sign-ins beyond the queue get "busy", and do not count',
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

  test('no readable personal data is stored', async () => {
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
  'the page is 429 with Retry-After, the same for existing and unknown accounts',
  async () => {
    const known = await world.aPerson()
    const unknown = { ...known, email: 'still-unknown@people.test' }
    const pages: string[] = []
    for (const who of [known, unknown]) {
      await forget()
      const visitor = new Visitor(world, setup.school)
      const form = await visitor.get('/sign-in')
      for (let i = 0; i < 10; i++) await visitor.signIn(form, who, 'wrong')
      const answer = await visitor.signIn(form, who)
      expectPage(answer, 429)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800)
      const page = answer.body.replaceAll(who.email, 'EMAIL').replace(/value="[^"]{60,}"/g, '')
      pages.push(page.replace(/&quot;challenge&quot;:&quot;[\w-]+&quot;/, ''))
    }
    expect(pages[1]).toBe(pages[0])
  },
)
