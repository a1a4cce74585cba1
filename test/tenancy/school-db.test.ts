import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { FigureRounds } from '../../src/domain/analytics/figure-rounds.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { atSchool, type TenantTable } from '../../src/foundation/db/school-db.ts'
import { verifies } from '../spec/verifies.ts'
import { testDatabase } from '../support/database.ts'
import { demoDatabase } from '../support/demo-database.ts'
import { anIssuedCode } from '../support/issued-code.ts'

const { db } = await testDatabase(await demoDatabase())

const schools = await db
  .selectFrom('schools')
  .select(['id', 'subdomain'])
  .orderBy('subdomain')
  .execute()
const idOf = (subdomain: string): string => {
  const school = schools.find((one) => one.subdomain === subdomain)
  if (school === undefined) throw new Error(`no school ${subdomain}`)
  return school.id
}
const demo = atSchool(db, idOf('demo'))
const harbor = atSchool(db, idOf('harbor'))

const { rows: tenantTables } = await sql<{ name: TenantTable }>`
  select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'school_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  order by c.relname`.execute(db)

// Tables without rows in the demo world.
for (const schoolDb of [demo, harbor]) {
  await schoolDb
    .insert('files', {
      id: uuidv7(),
      name: 'a file',
      content_type: 'text/plain',
      size_bytes: 0,
      sha256: sha256(''),
      storage_key: 'a-file',
    })
    .execute()
}
const { user_id } = await demo
  .from('school_members')
  .select('user_id')
  .orderBy('user_id')
  .executeTakeFirstOrThrow()
for (const schoolDb of [demo, harbor]) {
  const { user_id: owner } = await schoolDb
    .from('school_members')
    .select('user_id')
    .orderBy('user_id', schoolDb === demo ? 'asc' : 'desc')
    .executeTakeFirstOrThrow()
  const handle = sha256(`${schoolDb.schoolId} ${owner}`)
  await schoolDb
    .insert('passkey_handles', { user_id: owner, handle, last_challenge_at: new Date() })
    .execute()
  await schoolDb
    .insert('calendar_feeds', { id: uuidv7(), user_id: owner, secret_hash: handle })
    .execute()
  await schoolDb
    .insert('passkeys', {
      id: uuidv7(),
      user_id: owner,
      credential_id: handle,
      public_key: handle,
      counter: 0,
      transports: [],
      backup_eligible: false,
      backed_up: false,
      user_verified: true,
      name: 'A passkey',
      last_challenge_at: new Date(),
    })
    .execute()
}
await demo
  .insert('authorizations', {
    id: uuidv7(),
    client_id: 'demo-public',
    user_id,
    audience: 'member',
    scopes: ['openid'],
  })
  .execute()
await anIssuedCode(demo, {
  clientId: 'demo-public',
  userId: user_id,
  resource: 'http://localhost:3000',
  redirectUri: 'http://127.0.0.1/callback',
  codeChallenge: 'c'.repeat(43),
})

describe('the condition on school_id', () => {
  test('covers every table that belongs to a school', () => {
    expect(tenantTables.length).toBeGreaterThan(30)
  })

  test.each(tenantTables)('for $name adds the school to each statement', ({ name }) => {
    const condition = `"${name}"."school_id" = $`
    const statements = [
      demo.from(name).selectAll().compile(),
      demo.update(name).set({}).compile(),
      demo.delete(name).compile(),
    ]
    for (const { sql: text, parameters } of statements) {
      expect(text).toContain(`where ${condition}`)
      expect(parameters).toEqual([demo.schoolId])
    }
    const insert = demo.insert(name, {} as never).compile()
    expect(insert.sql).toContain('("school_id") values ($1)')
    expect(insert.parameters).toEqual([demo.schoolId])
  })

  test('hides the rows of other schools, with any other condition', async () => {
    const everywhere = await db.selectFrom('courses').select('school_id').execute()
    const here = await harbor.from('courses').select('school_id').execute()
    expect(here.length).toBeGreaterThan(0)
    expect(everywhere.length).toBeGreaterThan(here.length)
    const widened = await harbor
      .from('courses')
      .where((eb) => eb.or([eb.val(true), eb('school_id', '=', demo.schoolId)]))
      .select('school_id')
      .execute()
    expect(new Set(widened.map((row) => row.school_id))).toEqual(new Set([harbor.schoolId]))
  })

  test('limits updates and deletes to the school', async () => {
    const count = async () => (await demo.from('notifications').selectAll().execute()).length
    const before = await count()
    await demo
      .transaction(async (tx) => {
        const deleted = await tx.delete('notifications').executeTakeFirst()
        expect(Number(deleted.numDeletedRows)).toBe(before)
        const left = await tx.run(
          sql`select from notifications where school_id = ${harbor.schoolId}`,
        )
        expect(left.rows.length).toBeGreaterThan(0)
        throw new Error('roll back')
      })
      .catch((error: Error) => expect(error.message).toBe('roll back'))
    expect(await count()).toBe(before)
  })

  test('refuses an insert for another school, at compile time and at run time', () => {
    const row = { user_id, roles: ['student'] }
    // @ts-expect-error: the caller may not set the school
    const compiled = demo.insert('school_members', { ...row, school_id: harbor.schoolId }).compile()
    expect(compiled.parameters).toContain(demo.schoolId)
    expect(compiled.parameters).not.toContain(harbor.schoolId)
  })
})

interface ForeignKey {
  name: string
  child: string
  parent: string
  columns: string[]
  parent_columns: string[]
}

/** Every foreign key from one tenant table to another, without the school's column. */
const { rows: keys } = await sql<ForeignKey>`
  select k.conname as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
    array(select a.attname::text from unnest(k.conkey) with ordinality c (n, i)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.n
      where a.attname <> 'school_id' order by c.i) as columns,
    array(select a.attname::text from unnest(k.confkey) with ordinality c (n, i)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.n
      where a.attname <> 'school_id' order by c.i) as parent_columns
  from pg_constraint k
    join pg_attribute ours on ours.attrelid = k.conrelid and ours.attname = 'school_id'
    join pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attname = 'school_id'
  where k.contype = 'f' order by k.conname`.execute(db)

/** Points a row of one school at a row of the other school; returns PostgreSQL's error code. */
async function pointAcross(key: ForeignKey): Promise<string> {
  const child = sql.table(key.child)
  const parent = sql.table(key.parent)
  const columns = sql.join(key.columns.map((column) => sql.id(column)))
  const theirs = sql.join(key.parent_columns.map((column) => sql.ref(`theirs.${column}`)))
  const same = sql.join(
    key.parent_columns.map(
      (column) => sql`${sql.ref(`mine.${column}`)} = ${sql.ref(`theirs.${column}`)}`,
    ),
    sql` and `,
  )
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`alter table ${child} disable trigger user`.execute(tx)
      const { numAffectedRows } = await sql`
        update ${child} set (${columns}) = row (${theirs})
        from ${parent} theirs
        where ${child}.ctid = (
          select ctid from ${child} where school_id = ${demo.schoolId}
          order by (${columns}) is not null desc limit 1)
          and theirs.school_id = ${harbor.schoolId}
          and not exists (
            select from ${parent} mine where mine.school_id = ${demo.schoolId} and ${same})`.execute(
        tx,
      )
      await sql`set constraints all immediate`.execute(tx)
      // The transaction is always rolled back.
      throw { code: numAffectedRows === 0n ? 'no row to test with' : 'ACCEPTED' }
    })
  } catch (error) {
    return String((error as { code?: string }).code)
  }
}

verifies(
  'house.tenancy.keys',
  'pointing a row of one school at a row of another breaks the foreign key, table by table',
  async () => {
    expect(keys.length).toBeGreaterThan(50)
    const rounds = new FigureRounds(db)
    while (await rounds.next());
    await demo.run(sql`
      insert into client_logos (school_id, client_id, id, content_type, bytes)
      select school_id, client_id, gen_random_uuid(), 'image/png', '\\x00' from clients
      where school_id = ${demo.schoolId}`)
    await demo.run(sql`
      insert into app_activity_sums (school_id, client_id, kind, day, reads, changes)
      select school_id, client_id, 'courses', '2026-03-01', 1, 0 from clients
      where school_id = ${demo.schoolId}`)
    for (const key of keys) expect([key.name, await pointAcross(key)]).toEqual([key.name, '23503'])
  },
)
