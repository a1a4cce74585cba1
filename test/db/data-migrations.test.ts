import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import {
  loadMigrations,
  withoutConcurrently,
} from '../../src/foundation/db/migration/migrations.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { dropDatabase } from '../support/database.ts'
import { connect } from '../support/postgres.ts'

/** Migrations that change rows, on a database with rows from before. */

const server = inject('postgres')
const admin = await connect(server)
afterAll(() => admin.end())
const all = await loadMigrations()

/** A database as it was before the migration, and a function that applies the migration. */
async function before(name: string): Promise<{ client: pg.Client; apply: () => Promise<unknown> }> {
  const database = `rows_${randomBytes(8).toString('hex')}`
  await admin.query(`create database ${database}`)
  const client = await connect({ ...server, database })
  whenFileIsDone(async () => {
    await client.end()
    await dropDatabase(server, database)
  })
  const place = all.findIndex((migration) => migration.name.endsWith(name))
  for (const { sql } of all.slice(0, place)) await client.query(withoutConcurrently(sql))
  return { client, apply: () => client.query(all[place]?.sql ?? '') }
}

async function aSchool(client: pg.Client, name = 'north'): Promise<string> {
  const id = randomUUID()
  await client.query(
    `insert into schools (id, subdomain, origin, name, time_zone)
     values ($1, $2, 'https://' || $2 || '.test', initcap($2), 'Asia/Taipei')`,
    [id, name],
  )
  return id
}

async function aMember(client: pg.Client, school: string, name: string): Promise<string> {
  const id = randomUUID()
  await client.query('insert into users (id, email, name) values ($1, $2, $3)', [
    id,
    `${name}@people.test`,
    name,
  ])
  await client.query(
    "insert into school_members (school_id, user_id, roles) values ($1, $2, '{student}')",
    [school, id],
  )
  return id
}

test('canceled classes are removed, and members of the group read of those to come', async () => {
  const { client, apply } = await before('-classes-stay-available.sql')
  const school = await aSchool(client)
  const [ada, muted] = [await aMember(client, school, 'ada'), await aMember(client, school, 'eve')]
  await client.query(
    `insert into notification_subscriptions (school_id, user_id, topic, channel, enabled)
     values ($1, $2, 'meetings', 'in_app', false)`,
    [school, muted],
  )
  const [group, service] = [randomUUID(), randomUUID()]
  await client.query("insert into study_groups (school_id, id, name) values ($1, $2, 'Owls')", [
    school,
    group,
  ])
  await client.query(
    "insert into consulting_services (school_id, id, title) values ($1, $2, 'Coaching')",
    [school, service],
  )
  for (const user of [ada, muted]) {
    await client.query(
      'insert into study_group_members (school_id, group_id, user_id) values ($1, $2, $3)',
      [school, group, user],
    )
  }
  const rows = [
    ['Held', group, null, 'available', '2096-01-01'],
    ['Off', group, null, 'canceled', '2096-01-02'],
    ['Long off', group, null, 'canceled', '2020-01-01'],
    ['Meeting', null, service, 'canceled', '2096-01-03'],
  ]
  for (const [title, study_group, consulting, state, day] of rows) {
    await client.query(
      `insert into consulting_meetings
         (school_id, id, title, study_group_id, service_id, state, starts_at, ends_at)
       values ($1, $2, $3, $4, $5, $6, $7::timestamptz, $7::timestamptz + interval '1 hour')`,
      [school, randomUUID(), title, study_group, consulting, state, `${day}T10:00:00Z`],
    )
  }
  await apply()
  const kept = await client.query('select title, state from consulting_meetings order by title')
  expect(kept.rows).toEqual([
    { title: 'Held', state: 'available' },
    { title: 'Meeting', state: 'canceled' },
  ])
  const told = await client.query('select user_id, kind, title, body from notifications')
  expect(told.rows).toEqual([
    {
      user_id: ada,
      kind: 'class_canceled',
      title: 'A class does not take place',
      body: 'Off, 2096-01-02 18:00 (Asia/Taipei), is no longer in your schedule.',
    },
  ])
  await expect(
    client.query("update consulting_meetings set state = 'canceled' where title = 'Held'"),
  ).rejects.toThrow('consulting_meetings_class_available')
})

test('an explorer that a school deleted is switched off', async () => {
  const { client, apply } = await before('-explorer-stays.sql')
  const school = await aSchool(client)
  for (const id of ['member-api-explorer', 'planner']) {
    await client.query(
      `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes, deleted_at)
       values ($1, $2, 'application', 'member', $2, '{https://north.test/}', '{openid}', now())`,
      [school, id],
    )
  }
  await apply()
  const { rows } = await client.query(
    `select client_id, deleted_at is null as kept, disabled_at is not null as off
     from clients order by client_id`,
  )
  expect(rows).toEqual([
    { client_id: 'member-api-explorer', kept: true, off: true },
    { client_id: 'planner', kept: false, off: false },
  ])
})

test('a foreign app at an address of the school’s own tools ends, and nothing else does', async () => {
  const { client, apply } = await before('-own-tool-addresses.sql')
  const school = await aSchool(client)
  const ada = await aMember(client, school, 'ada')
  const own = 'https://north.test/clients/reports.json'
  const clients = [
    [own, 'tool', 'reports'],
    ['https://north.test/clients/foreign.json', 'document', null],
    ['https://north.test.example/clients/reports.json', 'document', null],
    ['https://apps.example/clients/reports.json', 'document', null],
  ]
  for (const [id, kind, slug] of clients) {
    await client.query(
      `insert into clients (school_id, client_id, kind, slug, audience, name, redirect_uris, scopes)
       values ($1, $2, $3, $4, 'operator', 'App', '{http://127.0.0.1/callback}', '{courses:read}')`,
      [school, id, kind, slug],
    )
    await client.query(
      `insert into authorizations (id, school_id, client_id, user_id, audience, scopes)
       values ($1, $2, $3, $4, 'operator', '{courses:read}')`,
      [randomUUID(), school, id, ada],
    )
  }
  await apply()
  const { rows } = await client.query<{ client_id: string; lives: boolean }>(
    `select c.client_id, c.deleted_at is null and a.revoked_at is null as lives
     from clients c join authorizations a using (school_id, client_id) order by client_id`,
  )
  expect(rows.filter(({ lives }) => lives).map((row) => row.client_id)).toEqual(
    clients.flatMap(([id]) => (id?.endsWith('foreign.json') ? [] : [id])).sort(),
  )
  const [gone, ...others] = rows.filter(({ lives }) => !lives)
  expect(others).toEqual([])
  expect(gone?.client_id).toMatch(/^https:\/\/north\.test\/clients\/foreign\.json#/)
})

test('members from before count as signed in where that is proven, and keep their shown name', async () => {
  const { client, apply } = await before('-signed-in-members.sql')
  const [first, second] = [await aSchool(client, 'first'), await aSchool(client, 'second')]
  const join = (school: string, user: string, joined: string) =>
    client.query(
      `insert into school_members (school_id, user_id, roles, joined_at) values ($1, $2, '{student}', $3)`,
      [school, user, joined],
    )
  const people: Record<string, string> = {}
  for (const name of ['password', 'silent', 'session', 'app']) {
    const id = await aMember(client, first, name)
    await client.query("update school_members set joined_at = '2025-01-01' where user_id = $1", [
      id,
    ])
    await join(second, id, '2025-06-01')
    people[name] = id
  }
  await client.query("update users set password_hash = 'x' where name <> 'silent'")
  await client.query(
    `insert into browser_sessions (id, secret_hash, school_id, user_id, expires_at, created_at)
     values ($1, $2, $3, $4, now(), '2025-07-01')`,
    [randomUUID(), Buffer.alloc(32), second, people.session],
  )
  await client.query(
    `insert into clients (school_id, client_id, kind, audience, name, redirect_uris, scopes)
     values ($1, 'app', 'application', 'member', 'App', '{https://app.test/}', '{openid}')`,
    [second],
  )
  await client.query(
    `insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, created_at)
     values ($1, $2, 'app', $3, 'member', '{openid}', 'https://second.test', '2025-08-01')`,
    [randomUUID(), second, people.app],
  )
  const versions = await client.query('select sum(version)::int as sum from school_members')
  await apply()
  expect((await client.query('select sum(version)::int as sum from school_members')).rows).toEqual(
    versions.rows,
  )
  const { rows } = await client.query(
    `select u.name, s.subdomain, m.signed_in_at is not null as signed_in, m.typed_name
     from school_members m join users u on u.id = m.user_id join schools s on s.id = m.school_id
     order by u.name, s.subdomain`,
  )
  const signedIn = { signed_in: true, typed_name: null }
  const notYet = (name: string) => ({ signed_in: false, typed_name: name })
  expect(rows).toEqual([
    { name: 'app', subdomain: 'first', ...signedIn },
    { name: 'app', subdomain: 'second', ...signedIn },
    { name: 'password', subdomain: 'first', ...signedIn },
    { name: 'password', subdomain: 'second', ...notYet('password') },
    { name: 'session', subdomain: 'first', ...signedIn },
    { name: 'session', subdomain: 'second', ...signedIn },
    { name: 'silent', subdomain: 'first', ...notYet('silent') },
    { name: 'silent', subdomain: 'second', ...notYet('silent') },
  ])
})

test('names lose the characters that draw nothing, and keep what is spelling', async () => {
  const { client, apply } = await before('-visible-names.sql')
  const school = await aSchool(client)
  const names = {
    reversed: 'photo\u202egpj.exe',
    tagged: 'Acme\u{e0068}\u{e0069}',
    nothing: '\u200b\u2060',
    persian: 'می\u200cخواهم',
    plain: 'Ada',
  }
  const ids = new Map<string, string>()
  for (const [key, name] of Object.entries(names)) {
    const id = await aMember(client, school, key)
    ids.set(key, id)
    await client.query('update users set name = $1 where id = $2', [name, id])
  }
  await client.query("update schools set name = E'North\u2066' where id = $1", [school])
  await apply()
  const { rows } = await client.query<{ id: string; name: string }>('select id, name from users')
  const now = new Map(rows.map(({ id, name }) => [id, name]))
  expect(Object.fromEntries([...ids].map(([key, id]) => [key, now.get(id)]))).toEqual({
    reversed: 'photogpj.exe',
    tagged: 'Acme',
    nothing: '?',
    persian: 'می\u200cخواهم',
    plain: 'Ada',
  })
  const schools = await client.query<{ name: string }>('select name from schools')
  expect(schools.rows).toEqual([{ name: 'North' }])
})

test('names lose the other ignorable characters too, and keep joiners and emoji', async () => {
  const { client, apply } = await before('-ignorable-characters.sql')
  const school = await aSchool(client)
  // Without the joiners and what migration 0031 removed.
  const late =
    /^(?![\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}])\p{Default_Ignorable_Code_Point}$/u
  const codes = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
  const hidden = codes.filter((one) => late.test(one))
  for (let n = 0; n < hidden.length; n += 150) {
    const id = await aMember(client, school, `p${n}`)
    const name = `A${hidden.slice(n, n + 150).join('')}da`
    await client.query('update users set name = $1 where id = $2', [name, id])
  }
  await client.query('update schools set name = $1 where id = $2', [
    'North ❤\ufe0f\u200d🔥 Café می\u200cخواهم',
    school,
  ])
  await apply()
  const people = await client.query<{ name: string }>('select distinct name from users')
  expect(people.rows).toEqual([{ name: 'Ada' }])
  const schools = await client.query<{ name: string }>('select name from schools')
  expect(schools.rows).toEqual([{ name: 'North ❤\u200d🔥 Café می\u200cخواهم' }])
})

test('coupons that were used up before are known as such, unchanged otherwise', async () => {
  const { client, apply } = await before('-used-up-coupons.sql')
  const school = await aSchool(client)
  const ada = await aMember(client, school, 'ada')
  const limits = { ENDLESS: null, LAST: 1, MORE: 2, UNUSED: 1 }
  for (const [code, limit] of Object.entries(limits)) {
    const [coupon, order] = [randomUUID(), randomUUID()]
    await client.query(
      'insert into coupons (school_id, id, code, percent_off, max_redemptions) values ($1, $2, $3, 10, $4)',
      [school, coupon, code, limit],
    )
    if (code === 'UNUSED') continue
    await client.query(
      `insert into orders (school_id, id, number, user_id, state, total_amount, currency)
       values ($1, $2, $3, $4, 'open', 100, 'USD')`,
      [school, order, code, ada],
    )
    await client.query(
      `insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id)
       values ($1, gen_random_uuid(), $2, $3, $4)`,
      [school, coupon, order, ada],
    )
  }
  await apply()
  const { rows } = await client.query('select code, used_up, version from coupons order by code')
  expect(rows).toEqual([
    { code: 'ENDLESS', used_up: false, version: 1 },
    { code: 'LAST', used_up: true, version: 1 },
    { code: 'MORE', used_up: false, version: 1 },
    { code: 'UNUSED', used_up: false, version: 1 },
  ])
})

test('groups from before know how many members they have, and keep their version', async () => {
  const { client, apply } = await before('-roster-sizes.sql')
  const school = await aSchool(client)
  const members = [await aMember(client, school, 'ada'), await aMember(client, school, 'ben')]
  for (const [name, roster] of [
    ['Empty', []],
    ['Owls', members],
  ] as const) {
    const group = randomUUID()
    await client.query('insert into study_groups (school_id, id, name) values ($1, $2, $3)', [
      school,
      group,
      name,
    ])
    for (const member of roster) {
      await client.query(
        'insert into study_group_members (school_id, group_id, user_id) values ($1, $2, $3)',
        [school, group, member],
      )
    }
  }
  await apply()
  const { rows } = await client.query(
    'select name, member_count, version from study_groups order by name',
  )
  expect(rows).toEqual([
    { name: 'Empty', member_count: 0, version: 1 },
    { name: 'Owls', member_count: 2, version: 1 },
  ])
  await client.query("update study_groups set name = 'Larks' where name = 'Owls'")
  const changed = await client.query("select version from study_groups where name = 'Larks'")
  expect(changed.rows).toEqual([{ version: 2 }])
})

test('events and forms from before know how many rows they have, and keep their version', async () => {
  const { client, apply } = await before('-kept-counts.sql')
  const school = await aSchool(client)
  const people = [await aMember(client, school, 'ada'), await aMember(client, school, 'ben')]
  const [event, form] = [randomUUID(), randomUUID()]
  await client.query(
    `insert into events (school_id, id, slug, title, starts_at, ends_at, currency) values ($1, $2, 'one', 'One', now(), now() + interval '1 hour', 'USD')`,
    [school, event],
  )
  await client.query(
    `insert into forms (school_id, id, slug, title, fields) values ($1, $2, 'one', 'One', '[]')`,
    [school, form],
  )
  for (const [place, person] of people.entries()) {
    await client.query(
      `insert into event_registrations (school_id, id, event_id, user_id, state, canceled_at)
       values ($1, gen_random_uuid(), $2, $3, $4, case when $4 = 'canceled' then now() end)`,
      [school, event, person, place === 0 ? 'canceled' : 'registered'],
    )
    await client.query(
      `insert into form_submissions (school_id, id, form_id, user_id, answers) values ($1, gen_random_uuid(), $2, $3, '{}')`,
      [school, form, person],
    )
  }
  await apply()
  const { rows } = await client.query(
    `select registration_count as count, version from events
     union all select submission_count, version from forms`,
  )
  expect(rows).toEqual([
    { count: 1, version: 1 },
    { count: 2, version: 1 },
  ])
})
