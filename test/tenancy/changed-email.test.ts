import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { enrollmentKind } from '../../src/domain/learning/progress-bulk.ts'
import { storeEmail } from '../../src/domain/people/email-change/store-email.ts'
import { memberKind, studentKind } from '../../src/domain/people/people-bulk.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import { AdminBrowser } from '../support/admin-browser.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { aCourse } from '../support/learning.ts'
import { signedIn } from '../support/operator-like.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

/**
 * A school that adds addresses must not become a list of the addresses that their owners have now.
 */

const world = await aWorld()
const home = await world.aSchool()
let count = 0

interface Hostile {
  readonly school: TestSchool
  readonly operator: OperatorClient
  readonly victim: TestPerson
  readonly now: string
}

async function changeEmail({ id }: TestPerson, email: string): Promise<void> {
  await world.database.db.transaction().execute((tx) => storeEmail(tx, { userId: id, email }))
}

/** A school that added the address of a member of another school, who got a new one afterwards. */
async function aHostileSchool(): Promise<Hostile> {
  const school = await world.aSchool()
  const operator = await anOperator(world, school)
  const victim = await world.aMember(home)
  await add(operator, victim.email)
  const now = `fresh${++count}@elsewhere.test`
  await changeEmail(victim, now)
  return { school, operator, victim, now }
}

const add = (operator: OperatorClient, email: string) =>
  operator.post('/members', { email, name: 'Typed', roles: ['student'] })

const found = async (operator: OperatorClient, query: string): Promise<string[]> =>
  (await operator.get(`/members?${query}`)).json().data.map(({ email }: { email: string }) => email)

describe('a school where a person has never signed in', () => {
  test('goes on reading the address that it typed, in every list, page and export', async () => {
    const { school, operator, victim, now } = await aHostileSchool()
    const browser = new AdminBrowser(await signedIn(world, school, operator.person))
    const texts = [
      (await operator.get(`/members/${victim.id}`)).body,
      (await operator.get('/students')).body,
      await browser.page('/admin/members'),
      await browser.page(`/admin/members/${victim.id}`),
      await browser.page('/admin/audit'),
      await exportFrom(school, memberKind, 'csv'),
      await exportFrom(school, studentKind),
    ]
    for (const text of texts) expect(text).not.toContain(now)
    expect(texts.filter((text) => text.includes(victim.email))).toHaveLength(6)
    for (const [query, emails] of [
      [`email=${victim.email}`, [victim.email]],
      [`email=${now}`, []],
      [`search=${victim.email}`, [victim.email]],
      ['search=elsewhere.test', []],
    ] as const) {
      expect(await found(operator, query), query).toEqual(emails)
    }
  })

  test('finds no part of the new address by the index of a large school either', async () => {
    const { school, operator, victim } = await aHostileSchool()
    await school.db.transaction(async (tx) => {
      await tx.run(sql`create temporary table crowd on commit drop as
        select gen_random_uuid() as id, n from generate_series(1, 1001) n`)
      await tx.run(
        sql`insert into users (id, email, name) select id, id || '@crowd.test', 'Student ' || n from crowd`,
      )
      await tx.run(sql`insert into school_members (school_id, user_id, roles, joined_at)
        select ${school.id}, id, '{student}', now() + interval '1 hour' from crowd`)
    })
    expect(await found(operator, 'search=elsewhere.test')).toEqual([])
    expect(await found(operator, `search=${victim.email}`)).toEqual([victim.email])
  })

  test('names them in a file by the address that it typed, not by the new one', async () => {
    const { school, victim, now } = await aHostileSchool()
    const course = await aCourse(school)
    const row = (student_email: string) => ({ course_id: course.id, student_email })
    const guessed = await importInto(school, enrollmentKind, [row(now)])
    expect(guessed).toMatchObject({ created: 0, failed: 1 })
    expect(await importInto(school, enrollmentKind, [row(victim.email)])).toMatchObject({
      created: 1,
    })
  })

  test('that types the new address itself reads it', async () => {
    const { operator, victim, now } = await aHostileSchool()
    await add(operator, now)
    expect((await operator.get(`/members/${victim.id}`)).json().email).toBe(now)
  })

  test('does not read it after it imported its own export again', async () => {
    const { school, operator, victim } = await aHostileSchool()
    const { id, email } = victim
    await importInto(school, memberKind, [{ id, email, roles: ['student', 'lecturer'] }])
    expect((await operator.get(`/members/${id}`)).json().email).toBe(email)
  })

  test('reads the present address as soon as the person signs in there', async () => {
    const { school, operator, victim, now } = await aHostileSchool()
    await signedIn(world, school, { ...victim, email: now })
    expect((await operator.get(`/members/${victim.id}`)).json().email).toBe(now)
    expect(await found(operator, `email=${now}`)).toEqual([now])
    expect(await found(operator, `email=${victim.email}`)).toEqual([])
  })
})

test('the school where the person signs in reads each new address', async () => {
  const operator = await anOperator(world, home)
  const { victim, now } = await aHostileSchool()
  expect((await operator.get(`/members/${victim.id}`)).json().email).toBe(now)
})
