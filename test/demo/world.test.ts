import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import {
  createDemoWorld,
  createDemoWorldIfEmpty,
  DatabaseNotEmpty,
  describeDemoWorld,
  moveDemoOrigins,
} from '../../src/demo/demo-world.ts'
import { findSchoolByOrigin, type School } from '../../src/domain/schools/school.ts'
import { findSigner, signsIdTokens } from '../../src/domain/schools/signing.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { verifyPassword } from '../../src/foundation/crypto/password.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import type { Db } from '../../src/foundation/db/database.ts'
import { openPreparedDatabase } from '../../src/start/prepare.ts'
import { verifies } from '../spec/verifies.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { count, rowsOf } from './queries.ts'

const keyring = new Keyring('a secret of thirty-two characters and more')
const options = { port: 3000, keyring }
const { db } = await testDatabase()
const twin = await testDatabase()

beforeAll(async () => {
  await createDemoWorld(db, options)
})

async function school(origin: string): Promise<School> {
  const found = await findSchoolByOrigin(db, origin)
  if (found === undefined) throw new Error(`no school at ${origin}`)
  return found
}

describe('a server that starts on an empty database', () => {
  const secret = 'a secret of thirty-two characters and more'

  /** A server on this database, by its environment. */
  const starterOn = ({ host, port, user, password, database }: pg.ClientConfig) => {
    const url = new URL(`postgres://localhost/${database}`)
    url.search = new URLSearchParams({ host: String(host), port: String(port) }).toString()
    url.username = encodeURIComponent(String(user))
    url.password = encodeURIComponent(String(password ?? ''))
    return async (env: Record<string, string>) => {
      const config = readConfig({ DATABASE_URL: url.href, SCHOOLGATE_SECRET: secret, ...env })
      const prepared = await openPreparedDatabase(config, pino({ level: 'silent' }))
      await prepared.server.stop()
      return prepared
    }
  }

  verifies(
    ['demo.not-in-production', 'setup.demo-on-request'],
    'makes no demo world in production, nor where it is switched off, nor with DATABASE_URL unasked',
    async () => {
      const prepare = starterOn(await emptyDatabase())
      const start = async (env: Record<string, string>) => {
        const prepared = await prepare(env)
        // Without a school there is a code for the first-run page, and only then.
        expect(prepared.setupCode === undefined).toBe(prepared.isDemo)
        return prepared.isDemo
      }
      expect(await start({ NODE_ENV: 'production' })).toBe(false)
      expect(await start({ SCHOOLGATE_DEMO: 'off' })).toBe(false)
      expect(await start({ NODE_ENV: 'production', SCHOOLGATE_DEMO: 'on' })).toBe(false)
      expect(await start({})).toBe(false)
      expect(await start({ SCHOOLGATE_DEMO: 'on' })).toBe(true)
      // Once it is there, it is served as the demo world.
      expect(await start({})).toBe(true)
    },
  )

  verifies(
    'setup.demo-on-request',
    'does not take a first school at localhost for the demo world after a restart',
    async () => {
      const { connection, db: own } = await testDatabase()
      const origin = 'http://localhost:3000'
      await own
        .insertInto('schools')
        .values({ id: uuidv7(), subdomain: 'north', origin, name: 'North', variant: 'newer' })
        .execute()
      const { isDemo, setupCode } = await starterOn(connection)({ PORT: '3000' })
      expect({ isDemo, setupCode }).toEqual({ isDemo: false, setupCode: undefined })
    },
  )
})

describe('schools', () => {
  verifies('demo.variants', 'each school has its own variant and key stages', async () => {
    const demo = await school('http://localhost:3000')
    const harbor = await school('http://harbor.localhost:3000')
    const heritage = await school('http://heritage.localhost:3000')
    expect(
      [demo, harbor, heritage].map(({ name, variant, mcpConnections }) => [
        name,
        variant,
        mcpConnections,
      ]),
    ).toEqual([
      ['Demo Academy', 'newer', true],
      ['Harbor School', 'newer', false],
      ['Heritage School', 'older', true],
    ])
    expect([demo, harbor, heritage].map(signsIdTokens)).toEqual([true, false, false])
    expect([demo, harbor, heritage].map(({ keys }) => keys.map(({ stage }) => stage))).toEqual([
      ['active'],
      ['published'],
      [],
    ])
    expect(findSigner(demo, keyring)?.({ sub: 'x' })).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('only metadata documents on this machine are permitted', async () => {
    const rows = await rowsOf(
      db,
      sql<{ document_hosts: string[]; open_registration: boolean }>`
        select document_hosts, open_registration from schools`,
    )
    for (const row of rows) {
      expect(row).toEqual({ document_hosts: ['127.0.0.1', 'localhost'], open_registration: false })
    }
  })

  verifies('demo.clients', 'each school has its four clients and no others', async () => {
    const rows = await rowsOf(
      db,
      sql<{ subdomain: string; client_id: string; scopes: string[]; secret_hash: Buffer | null }>`
        select s.subdomain, c.client_id, c.scopes, c.secret_hash, c.redirect_uris, c.audience, c.kind
        from clients c join schools s on s.id = c.school_id order by c.client_id`,
    )
    const member = ['account:read', 'account:write', 'email', 'openid', 'profile']
    const rest = {
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      audience: 'member',
      kind: 'application',
    }
    const expected = ['demo', 'harbor', 'heritage'].flatMap((subdomain) => [
      {
        subdomain,
        client_id: `${subdomain}-confidential`,
        scopes: member,
        secret_hash: sha256(`${subdomain}-confidential-secret`),
        ...rest,
      },
      { subdomain, client_id: `${subdomain}-public`, scopes: member, secret_hash: null, ...rest },
      {
        subdomain,
        client_id: `${subdomain}-readonly`,
        scopes: ['account:read', 'openid'],
        secret_hash: null,
        ...rest,
      },
      {
        subdomain,
        client_id: `${subdomain}-writeonly`,
        scopes: ['account:write'],
        secret_hash: null,
        ...rest,
      },
    ])
    expect(rows).toEqual(expected)
  })
})

describe('people', () => {
  verifies(
    'demo.people',
    'four people have the password and their roles; no other account can sign in',
    async () => {
      const rows = await rowsOf(
        db,
        sql<{ email: string; roles: string[]; hash: string }>`
        select u.email, u.password_hash as hash,
          array_agg(s.subdomain || ':' || array_to_string(m.roles, '+') order by s.subdomain) as roles
        from users u join school_members m on m.user_id = u.id join schools s on s.id = m.school_id
        where u.password_hash is not null group by u.id order by u.email`,
      )
      expect(rows.map(({ email, roles }) => [email, ...roles])).toEqual([
        ['ada@demo.test', 'demo:student', 'harbor:student', 'heritage:student'],
        ['admin@demo.test', 'demo:admin'],
        ['ben@demo.test', 'demo:student'],
        ['owner@demo.test', 'demo:owner', 'harbor:owner', 'heritage:owner'],
      ])
      for (const { hash } of rows) expect(await verifyPassword(hash, 'schoolgate-demo')).toBe(true)
    },
  )

  test('every account has a picture that is part of the package', async () => {
    const rows = await rowsOf(
      db,
      sql<{ avatar_url: string }>`select distinct avatar_url from users`,
    )
    for (const { avatar_url } of rows) {
      expect(avatar_url).toMatch(/^\/assets\/avatars\/[a-z]+\.svg$/)
      const svg = await readFile(new URL(`../..${avatar_url}`, import.meta.url), 'utf8')
      expect(svg).toMatch(/^<svg /)
      expect(svg).not.toMatch(/href|<script|style=/)
    }
  })

  test('each of the four people has payments and unread notifications at each of their schools', async () => {
    const rows = await rowsOf(
      db,
      sql<{ payments: number; unread: number; muted: number }>`
        select (select count(*) from payments p where p.school_id = m.school_id and p.user_id = m.user_id) as payments,
          (select count(*) from notifications n where n.school_id = m.school_id and n.user_id = m.user_id
             and n.read_at is null) as unread,
          (select count(*) from notification_subscriptions n
             where n.school_id = m.school_id and n.user_id = m.user_id and not n.enabled) as muted
        from school_members m join users u on u.id = m.user_id where u.password_hash is not null`,
    )
    expect(rows).toHaveLength(8)
    for (const { payments, unread, muted } of rows) {
      expect(payments).toBeGreaterThanOrEqual(3)
      expect(unread).toBeGreaterThanOrEqual(2)
      expect(muted).toBeGreaterThanOrEqual(1)
    }
  })
})

describe('making it', () => {
  verifies(
    'demo.deterministic',
    'two databases get the same rows, apart from times, keys and hashes',
    async () => {
      await createDemoWorld(twin.db, options)
      const columns = await rowsOf(
        db,
        sql<{ table: string; columns: string[] }>`
        select table_name as table, array_agg(column_name::text order by column_name) as columns
        from information_schema.columns
        where table_schema = 'public' and table_name not in ('schema_migrations', 'audit_entries')
          and data_type not in ('timestamp with time zone', 'date')
          and column_name not in ('kid', 'public_jwk', 'sealed_private_key', 'password_hash')
          and (table_name, column_name) <> ('figure_marks', 'id')
        group by table_name order by table_name`,
      )
      for (const { table, columns: names } of columns) {
        const all = sql<Record<string, unknown>>`
        select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)}
        order by ${sql.join(names.map((name) => sql`${sql.ref(name)}::text`))}`
        expect(await rowsOf(twin.db, all), table).toEqual(await rowsOf(db, all))
      }
    },
  )

  verifies(
    'demo.first-start',
    'a database with schools is not changed, and the reason is given',
    async () => {
      const before = await count(db, sql<{ n: number }>`select count(*) as n from payments`)
      await expect(createDemoWorld(db, options)).rejects.toThrow(DatabaseNotEmpty)
      await expect(createDemoWorld(db, options)).rejects.toThrow(/already has schools/)
      expect(await createDemoWorldIfEmpty(db, options)).toBe(false)
      expect(await count(db, sql<{ n: number }>`select count(*) as n from payments`)).toBe(before)
    },
  )

  verifies(
    'demo.first-start',
    'when several servers start at once, one makes the demo world; a failure leaves no rows',
    async () => {
      const { db: empty } = await testDatabase()
      // The last table refuses its rows, so that all earlier ones must be rolled back.
      await sql`alter table notification_subscriptions add constraint never check (false)`.execute(
        empty,
      )
      await expect(createDemoWorld(empty, options)).rejects.toThrow()
      expect(await rowsOf(empty, sql`select id from schools`)).toEqual([])
      expect(await rowsOf(empty, sql`select id from users`)).toEqual([])
      await sql`alter table notification_subscriptions drop constraint never`.execute(empty)
      const made = await Promise.all([1, 2, 3].map(() => createDemoWorldIfEmpty(empty, options)))
      expect(made.filter(Boolean)).toHaveLength(1)
    },
  )
})

describe('another port', () => {
  const origins = async (at: Db) =>
    (await rowsOf(at, sql<{ origin: string }>`select origin from schools order by origin`)).map(
      ({ origin }) => origin,
    )

  verifies('demo.port-moves', 'the three origins follow a changed port, once', async () => {
    const { db: own } = await testDatabase()
    await createDemoWorld(own, options)
    expect(await moveDemoOrigins(own, 4100)).toBe(true)
    expect(await origins(own)).toEqual([
      'http://harbor.localhost:4100',
      'http://heritage.localhost:4100',
      'http://localhost:4100',
    ])
    expect(await moveDemoOrigins(own, 4100)).toBe(false)
    // An origin never names port 80.
    expect(await moveDemoOrigins(own, 80)).toBe(true)
    expect(await origins(own)).toContain('http://localhost')
    expect(await moveDemoOrigins(own, 3000)).toBe(true)

    await sql`update schools set origin = 'https://harbor.example' where subdomain = 'harbor'`.execute(
      own,
    )
    await sql`
      insert into schools (id, subdomain, origin, name)
      values (gen_random_uuid(), 'mine', 'http://mine.localhost:3000', 'Mine'),
        (gen_random_uuid(), 'rival', 'http://heritage.localhost:5000', 'Rival')`.execute(own)
    expect(await moveDemoOrigins(own, 5000)).toBe(true)
    expect(await origins(own)).toEqual([
      'http://heritage.localhost:3000',
      'http://heritage.localhost:5000',
      'http://localhost:5000',
      'http://mine.localhost:3000',
      'https://harbor.example',
    ])
  })

  test('an installation without the demo world is never changed', async () => {
    const { db: own } = await testDatabase()
    await sql`
      insert into schools (id, subdomain, origin, name)
      values (gen_random_uuid(), 'demo', 'http://localhost:3000', 'Another school')`.execute(own)
    expect(await moveDemoOrigins(own, 4100)).toBe(false)
    expect(await origins(own)).toEqual(['http://localhost:3000'])
  })
})

test('the printed guide names what is in the database', async () => {
  const guide = describeDemoWorld(3000)
  const origins = await rowsOf(db, sql<{ origin: string }>`select origin from schools`)
  expect(guide.schools.map(({ origin }) => origin).sort()).toEqual(
    origins.map(({ origin }) => origin).sort(),
  )
  const clients = await rowsOf(db, sql<{ client_id: string }>`select client_id from clients`)
  expect(guide.schools.flatMap((s) => s.clients.map(({ clientId }) => clientId)).sort()).toEqual(
    clients.map(({ client_id }) => client_id).sort(),
  )
  expect(guide.people).toEqual([
    { email: 'owner@demo.test', roles: 'owner at demo, harbor, heritage' },
    { email: 'admin@demo.test', roles: 'admin at demo' },
    { email: 'ada@demo.test', roles: 'student at demo, harbor, heritage' },
    { email: 'ben@demo.test', roles: 'student at demo' },
  ])
})
