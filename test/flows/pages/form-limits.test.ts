import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { parseTrustProxy } from '../../../src/foundation/http/client-address.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aSlug } from '../../support/learning.ts'
import { signedIn } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld({ trust: parseTrustProxy('127.0.0.0/8') })
const { db } = world.database
const school = await world.aSchool()

const FIELDS = JSON.stringify([{ name: 'q', label: 'Q', kind: 'text', required: true }])

async function aForm(at: TestSchool = school, change: object = {}) {
  const [id, slug] = [uuidv7(), aSlug()]
  const form = { id, slug, title: 'Ask', fields: FIELDS, ...change }
  await at.db.insert('forms', form).execute()
  return { id, path: `/forms/${slug}` }
}

const from = (address: string) => ({ 'x-forwarded-for': address })

/**
 * Sends the form as often as it is asked to, with one page, and returns how many answers were
 * taken.
 */
async function send(visitor: Visitor, path: string, address: string, times = 1): Promise<number> {
  const page = await visitor.get(path, from(address))
  const fields = { ...hiddenFields(page.body, path), 'answer.q': 'x' }
  let taken = 0
  for (let time = 0; time < times; time++) {
    const sent = await visitor.post(path, fields, from(address))
    if (sent.headers.location === `${path}?done=sent`) taken++
    else expect(sent.statusCode).toBe(429)
  }
  return taken
}

const isTaken = async (path: string, address: string) =>
  (await send(new Visitor(world, school), path, address)) === 1

/** The one counter that has counted `now` tries, as if it had counted `then`. */
async function setCounter(now: number, then: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update sign_in_throttles set failures = ${then} where failures = ${now}`.execute(db)
  expect(Number(numAffectedRows)).toBe(1)
}

beforeEach(() => sql`delete from sign_in_throttles`.execute(db))

describe('attacks: the owner of a range of IPv6 addresses floods a form', () => {
  test('from one /64 with 60 answers in an hour, whatever address in it sends them', async () => {
    const { path } = await aForm()
    const visitor = new Visitor(world, school)
    expect(await send(visitor, path, '2001:db8:1:2a00::1', 59)).toBe(59)
    expect(await isTaken(path, '2001:db8:1:2a00:ffff::2')).toBe(true)
    expect(await isTaken(path, '2001:db8:1:2a00::3')).toBe(false)
    expect(await isTaken(path, '2001:db8:1:2a01::1')).toBe(true)
  })

  test('from the networks of a /56 with 240 answers, and from a /48 with 960', async () => {
    const { path } = await aForm()
    // Each address shares one range more with the one before it, so that the counters differ.
    for (const address of ['2001:db8:1:2a00::1', '2001:db8:1:2a01::1', '2001:db8:1:3000::1']) {
      expect(await isTaken(path, address)).toBe(true)
    }
    expect(await isTaken(path, '2001:db8:2::1')).toBe(true)
    await setCounter(2, 239)
    expect(await isTaken(path, '2001:db8:1:2a02::1')).toBe(true)
    expect(await isTaken(path, '2001:db8:1:2a03::1')).toBe(false)
    expect(await isTaken(path, '2001:db8:1:3001::1')).toBe(true)

    // Five answers of the /48 were taken; the refused one does not count.
    await setCounter(5, 959)
    expect(await isTaken(path, '2001:db8:1:4000::1')).toBe(true)
    expect(await isTaken(path, '2001:db8:1:5000::1')).toBe(false)
    expect(await isTaken(path, '2001:db8:2:1::1')).toBe(true)
  })

  test('from everywhere with 1,000 answers of visitors, and members do not notice', async () => {
    const { path } = await aForm()
    expect(await isTaken(path, '192.0.2.1')).toBe(true)
    expect(await isTaken(path, '192.0.2.2')).toBe(true)
    await setCounter(2, 999)
    expect(await isTaken(path, '192.0.2.3')).toBe(true)
    expect(await isTaken(path, '192.0.2.4')).toBe(false)
    const member = await signedIn(world, school, await world.aMember(school))
    expect(await send(member, path, '192.0.2.4')).toBe(1)
    const other = await world.aSchool()
    const elsewhere = await aForm(other)
    expect(await send(new Visitor(world, other), elsewhere.path, '192.0.2.4')).toBe(1)
  })
})

test('a member sends 20 answers in an hour from any address, and other members and schools do not notice', async () => {
  const [one, other] = [await aForm(), await aForm()]
  const ada = await world.aMember(school)
  const visitor = await signedIn(world, school, ada)
  expect(await send(visitor, one.path, '192.0.2.1', 15)).toBe(15)
  expect(await send(visitor, other.path, '192.0.2.2', 7)).toBe(5)
  const again = await signedIn(world, school, ada)
  expect(await send(again, one.path, '192.0.2.3')).toBe(0)

  const ben = await signedIn(world, school, await world.aMember(school))
  expect(await send(ben, one.path, '192.0.2.1')).toBe(1)
  const second = await world.aSchool()
  await second.db.insert('school_members', { user_id: ada.id, roles: ['student'] }).execute()
  const elsewhere = await aForm(second)
  expect(await send(await signedIn(world, second, ada), elsewhere.path, '192.0.2.1')).toBe(1)
})

describe('attacks: posts that a form refuses use up what others may send', () => {
  const countersOf = async () => (await sql`select from sign_in_throttles`.execute(db)).rows.length

  test('of a closed form', async () => {
    const { id, path } = await aForm()
    const visitor = new Visitor(world, school)
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), 'answer.q': 'x' }
    await school.db.update('forms').set({ state: 'closed' }).where('id', '=', id).execute()
    const sent = await visitor.post(path, fields, from('192.0.2.1'))
    expect(sent.headers.location).toBe(`${path}?done=closed`)
    const empty = await visitor.post(path, { ...fields, 'answer.q': '' }, from('192.0.2.1'))
    expect(empty.headers.location).toBe(`${path}?done=closed`)
    expect(await countersOf()).toBe(0)
  })

  test('of a form that the member has answered', async () => {
    const { path } = await aForm(school, { once_per_member: true })
    const visitor = await signedIn(world, school, await world.aMember(school))
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), 'answer.q': 'x' }
    expect((await visitor.post(path, fields)).headers.location).toBe(`${path}?done=sent`)
    const before = await sql`select bucket, failures from sign_in_throttles order by 1`.execute(db)
    const again = await visitor.post(path, fields)
    expect(again.headers.location).toBe(`${path}?done=answered`)
    const after = await sql`select bucket, failures from sign_in_throttles order by 1`.execute(db)
    expect(after.rows).toEqual(before.rows)
  })
})
