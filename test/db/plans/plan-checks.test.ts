import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { wholeReads } from '../../support/plans.ts'
import { problemsWith } from '../../support/statement-table.ts'

const { connection } = await testDatabase()

const whole = async (text: string) => [...(await wholeReads(connection, [text])).values()].flat()

test('wholeReads finds a statement that no index serves', async () => {
  expect(await whole('select from users where name = $1')).toEqual(['Seq Scan of users'])
  expect(await whole('delete from courses where title = $1')).toEqual(['Seq Scan of courses'])
})

test('wholeReads finds a subquery that no index serves', async () => {
  const text = `select from schools s where s.id = $1 and exists (
    select from users u where u.name = s.name)`
  expect(await whole(text)).toEqual(['Seq Scan of users'])
})

test('wholeReads finds a statement that reads the entries of all schools in an index', async () => {
  const [read] = await whole('select client_id from audit_entries where client_id = $1')
  expect(read).toMatch(/audit_entries/)
  expect(await whole('select from courses where slug = $1 order by school_id')).toHaveLength(1)
})

test('wholeReads finds a statement that reads an index to its end', async () => {
  expect(await whole('select id from users order by id')).toHaveLength(1)
})

test('wholeReads accepts a statement that starts at a key of an index', async () => {
  expect(await whole('select from courses where school_id = $1 and title = $2')).toEqual([])
  expect(await whole('select from users where lower(email) = lower($1)')).toEqual([])
})

const SENT = 'select from schools where id = $1'
const sending = (endpoint: string, count: number, isRefused = false) => ({
  endpoint,
  isRefused,
  statements: Array<string>(count).fill(SENT),
})

test('problemsWith finds a request that sends more statements than the table allows', () => {
  const stored = { 'GET /more': 2, 'GET /less': 2, 'GET /same': 2, 'GET /either': 3 }
  const answered = [
    sending('GET /more', 3),
    sending('GET /less', 1),
    sending('GET /same', 2),
    sending('GET /same', 9, true),
    sending('GET /either', 2),
    sending('GET /either', 3),
  ]
  expect(problemsWith(stored, answered)).toEqual([
    `GET /more sends 3, and may send 2\n    ${SENT}\n    ${SENT}\n    ${SENT}`,
  ])
})

test('problemsWith finds an endpoint without a line, and a line without an endpoint', () => {
  expect(problemsWith({ 'GET /old': 2 }, [sending('GET /new', 1)])).toEqual([
    `GET /new sends 1, and has no line yet\n    ${SENT}`,
    'GET /old has a line, but no test calls it or it no longer exists',
  ])
})
