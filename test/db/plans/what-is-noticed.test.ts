import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { wholeReads } from '../../support/plans.ts'

const { connection } = await testDatabase()

const whole = async (text: string) => [...(await wholeReads(connection, [text])).values()].flat()

test('a statement that no index serves is noticed', async () => {
  expect(await whole('select from users where name = $1')).toEqual(['Seq Scan of users'])
  expect(await whole('delete from courses where title = $1')).toEqual(['Seq Scan of courses'])
})

test('so is a part of one, deep within it', async () => {
  const text = `select from schools s where s.id = $1 and exists (
    select from users u where u.name = s.name)`
  expect(await whole(text)).toEqual(['Seq Scan of users'])
})

test('so is one that an index serves only after looking into it for every school', async () => {
  const [read] = await whole('select client_id from audit_entries where client_id = $1')
  expect(read).toMatch(/audit_entries/)
  expect(await whole('select from courses where slug = $1 order by school_id')).toHaveLength(1)
})

test('so is one that reads an index to its end', async () => {
  expect(await whole('select id from users order by id')).toHaveLength(1)
})

test('one that begins somewhere in an index is not', async () => {
  expect(await whole('select from courses where school_id = $1 and title = $2')).toEqual([])
  expect(await whole('select from users where lower(email) = lower($1)')).toEqual([])
})
