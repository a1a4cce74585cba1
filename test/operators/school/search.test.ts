import { beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { anOwner } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

const NAMES = [
  '山田 太郎',
  '山本 花子',
  'Łukasz Żółw',
  '100% _Real_',
  'Back\\slash',
  'Bo Li',
  'Anna Bauer',
]

let school: TestSchool
let browser: AdminBrowser

async function addPeople(names: readonly string[], at: TestSchool, signedIn: boolean) {
  const people = names.map((name) => ({ id: uuidv7(), name }))
  await world.database.db
    .insertInto('users')
    .values(people.map(({ id, name }) => ({ id, name, email: `${id}@people.test` })))
    .execute()
  await at.db
    .insert(
      'school_members',
      people.map(({ id, name }) => ({
        user_id: id,
        roles: ['student'],
        signed_in_at: signedIn ? new Date() : null,
        typed_name: signedIn ? null : `Typed ${name}`,
      })),
    )
    .execute()
  return people
}

beforeAll(async () => {
  school = await world.aSchool()
  browser = new AdminBrowser(await anOwner(world, school))
  const people = await addPeople(NAMES, school, true)
  const orders = people.map(({ id }, place) => ({
    id: uuidv7(),
    user_id: id,
    number: `ORDER-${place}`,
    state: 'open' as const,
    currency: 'TWD',
    total_amount: 1000,
  }))
  await school.db.insert('orders', orders).execute()
})

async function found(list: string, search: string): Promise<readonly string[]> {
  const html = await browser.page(`/admin/${list}?search=${encodeURIComponent(search)}`)
  return [...html.matchAll(/class="row-link"[^>]*><bdi class="name">([^<]*)</g)].map(
    ([, name = '']) => name,
  )
}

test.each([
  ['two Chinese letters', '山田', ['山田 太郎']],
  ['one Chinese letter', '花', ['山本 花子']],
  ['two Latin letters', 'li', ['Bo Li']],
  ['one letter with a mark, in the other case', 'ż', ['Łukasz Żółw']],
  ['digits with a percent sign', '0%', ['100% _Real_']],
  ['letters with an underscore', '_r', ['100% _Real_']],
  ['a backslash in a word', 'k\\s', ['Back\\slash']],
  ['a sign alone, which no index has', '%', []],
  ['a wildcard that would match all', '%_%', []],
  ['two words', 'anna b', ['Anna Bauer']],
])('a search for %s finds the person', async (_, search, names) => {
  expect(await found('students', search)).toEqual(names)
})

test.each([
  ['the name of the person', 'bauer', 'ORDER-6'],
  ['part of the number', 'der-3', 'ORDER-3'],
])('an order is found by %s', async (_, search, number) => {
  const html = await browser.page(`/admin/orders?search=${encodeURIComponent(search)}`)
  expect([...html.matchAll(/ORDER-\d/g)].map(([text]) => text)).toContain(number)
  expect(new Set([...html.matchAll(/ORDER-\d/g)].map(([text]) => text)).size).toBe(1)
})

test('a person who has not signed in here is found by the typed name, never by the own one', async () => {
  const own = await world.aSchool()
  const mine = new AdminBrowser(await anOwner(world, own))
  await addPeople(['Secretive Person'], own, false)
  const typed = await mine.page('/admin/students?search=typed')
  expect(typed).toContain('Typed Secretive Person')
  const [row] = await own.db
    .from('school_members')
    .select('user_id')
    .where('typed_name', 'is not', null)
    .execute()
  await own.db
    .update('school_members')
    .set({ typed_name: 'Newcomer' })
    .where('user_id', '=', row?.user_id ?? '')
    .execute()
  expect(await mine.page('/admin/students?search=secretive')).toContain('Nothing matches')
  expect(await mine.page('/admin/students?search=newcom')).toContain('Newcomer')
})

test('people of another school are not found', async () => {
  const other = await world.aSchool()
  const theirs = new AdminBrowser(await anOwner(world, other))
  expect(await theirs.page('/admin/students?search=bauer')).toContain('Nothing matches')
})

test('a word that many of more than a thousand people have shows all of them, in pages and without a number', async () => {
  const own = await world.aSchool()
  const mine = new AdminBrowser(await anOwner(world, own))
  const names = Array.from({ length: 1010 }, (_, place) => `Chen ${place}`)
  await addPeople(names, own, true)
  const html = await mine.page('/admin/students?search=chen')
  expect(html).toContain('Next page')
  expect(html).not.toContain('in all')
  // A rare word is found among the oldest people, too.
  await addPeople(['Zebedee Quill'], own, true)
  await own.db
    .update('school_members')
    .set({ joined_at: new Date('2001-01-01T00:00:00Z') })
    .where('user_id', 'in', (eb) =>
      eb.selectFrom('users').select('id').where('name', '=', 'Zebedee Quill'),
    )
    .execute()
  const rare = await mine.page('/admin/students?search=quill')
  expect(rare).toContain('Zebedee Quill')
  expect(rare).toMatch(/\b1 in all/)
})
