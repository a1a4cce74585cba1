import { type RawBuilder, sql } from 'kysely'
import { type Keyring, type SealedColumn, seal, unseal } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import { SEALED_AUTHENTICATORS } from '../people/factors/authenticators.ts'
import { checkSealedKeys, SEALED_SIGNING_KEYS } from '../schools/signing.ts'

/**
 * Everything in the database that only the secret of the installation opens, besides the check of
 * the secret itself. A rotation of the secret seals it again; `test/rules/sealed-columns.test.ts`
 * finds what is missing here.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [SEALED_AUTHENTICATORS, SEALED_SIGNING_KEYS]

const PAGE = 200

export interface SealedValues {
  /** All values. */
  readonly found: number
  /** Those that the new secret does not open, and an old one does. */
  readonly old: number
  /** Those that no given secret opens. They stay as they are. */
  readonly unreadable: number
}

interface Row {
  readonly key: Readonly<Record<string, string>>
  readonly sealed: Buffer
}

interface Sealing {
  readonly columns?: readonly SealedColumn[]
  readonly pageSize?: number
  /** After each page was written. */
  readonly onPage?: (sealedAgain: number) => void
}

/**
 * Crosses schools: seals everything again with the newest secret of the keyring, while servers
 * work. Each page is one statement, so a run that was killed can be repeated: what is done stays
 * done, and is found to be. The check of the secret comes last. Until then a server without the old
 * secret does not start.
 */
export async function sealAgain(
  db: Db,
  keyring: Keyring,
  { columns = SEALED_COLUMNS, pageSize = PAGE, onPage }: Sealing = {},
): Promise<SealedValues> {
  let sum: SealedValues = NOTHING
  for (;;) {
    let round: SealedValues = NOTHING
    for (const column of columns) {
      for await (const rows of pagesOf(db, column, pageSize)) {
        const judged = judge(rows, column, keyring)
        if (judged.old.length > 0) await writeAgain(db, column, keyring, judged.old)
        round = add(round, judged)
        if (judged.old.length > 0) onPage?.(sum.old + round.old)
      }
    }
    sum = { ...round, old: sum.old + round.old }
    // A server that still seals with the old secret may have written meanwhile: go on until nothing
    // is left.
    if (round.old === 0) break
  }
  await acceptSecret(db, keyring)
  return sum
}

/** Counts the sealed values, and changes none. */
export async function countSealed(db: Db, keyring: Keyring): Promise<SealedValues> {
  let sum: SealedValues = NOTHING
  for (const column of SEALED_COLUMNS) {
    for await (const rows of pagesOf(db, column, PAGE)) sum = add(sum, judge(rows, column, keyring))
  }
  return sum
}

const NOTHING: SealedValues = { found: 0, old: 0, unreadable: 0 }

function add(sum: SealedValues, { rows, old, unreadable }: Judged): SealedValues {
  return {
    found: sum.found + rows,
    old: sum.old + old.length,
    unreadable: sum.unreadable + unreadable,
  }
}

interface Judged {
  readonly rows: number
  readonly old: readonly (Row & { readonly plain: Buffer })[]
  readonly unreadable: number
}

function judge(rows: readonly Row[], { purpose, context }: SealedColumn, keyring: Keyring): Judged {
  const [newest, ...others] = keyring.keys(purpose)
  const closed = rows.filter((row) => unseal([newest], row.sealed, context(row.key)) === undefined)
  const old = closed.flatMap((row) => {
    const plain = unseal(others, row.sealed, context(row.key))
    return plain === undefined ? [] : [{ ...row, plain }]
  })
  return { rows: rows.length, old, unreadable: closed.length - old.length }
}

async function* pagesOf(
  db: Db,
  { table, column, key }: SealedColumn,
  size: number,
): AsyncGenerator<readonly Row[]> {
  const names = Object.keys(key)
  const columns = sql.join(names.map((name) => sql.ref(`t.${name}`)))
  const texts = sql.join(
    names.map((name) => sql`${sql.ref(`t.${name}`)}::text as ${sql.ref(name)}`),
  )
  let last: Row | undefined
  for (;;) {
    const from = last === undefined ? sql`` : sql`where (${columns}) > (${keyOf(last, key)})`
    const answer = await sql<Record<string, unknown>>`
      select ${texts}, ${sql.ref(`t.${column}`)} as sealed from ${sql.table(table)} as t
      ${from} order by ${columns} limit ${size}`.execute(db)
    const rows: Row[] = answer.rows.map(({ sealed, ...rest }) => ({
      key: rest as Record<string, string>,
      sealed: sealed as Buffer,
    }))
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    if (rows.length < size) return
  }
}

/** A value that was written meanwhile stays: it is compared with the one that was read. */
async function writeAgain(
  db: Db,
  { table, column, purpose, key, context }: SealedColumn,
  keyring: Keyring,
  rows: Judged['old'],
): Promise<void> {
  const names = Object.keys(key).map((name) => sql.ref(name))
  const values = rows.map((row) => {
    const sealed = seal(keyring.key(purpose), row.plain, context(row.key))
    return sql`(${keyOf(row, key)}, ${row.sealed}::bytea, ${sealed}::bytea)`
  })
  const isSame = names.map((name) => sql`t.${name} = n.${name}`)
  await sql`
    update ${sql.table(table)} as t set ${sql.ref(column)} = n.sealed_again
    from (values ${sql.join(values)}) as n (${sql.join(names)}, sealed_before, sealed_again)
    where ${sql.join(isSame, sql` and `)} and t.${sql.ref(column)} = n.sealed_before`.execute(db)
}

function keyOf(row: Row, key: SealedColumn['key']): RawBuilder<unknown> {
  return sql.join(
    Object.entries(key).map(([name, type]) => sql`${row.key[name]}::${sql.raw(type)}`),
  )
}

const PURPOSE = 'secret-check'
const PLAIN = Buffer.from('Schoolgate')

/**
 * Whether the keyring has the secret of this database. A sealed value tells; a database from before
 * there was one is judged by its signing keys. `new`: nothing in it was sealed yet.
 */
export async function judgeSecret(db: Db, keyring: Keyring): Promise<'right' | 'wrong' | 'new'> {
  const row = await db.selectFrom('installations').select('secret_check').executeTakeFirst()
  if (row !== undefined) {
    return unseal(keyring.keys(PURPOSE), row.secret_check, PURPOSE) === undefined
      ? 'wrong'
      : 'right'
  }
  const { sealedKeys, unreadable } = await checkSealedKeys(db, keyring)
  if (sealedKeys === 0) return 'new'
  return unreadable.length === sealedKeys ? 'wrong' : 'right'
}

/** Of several processes that start at once, the first one decides. */
export async function keepSecretCheck(db: Db, keyring: Keyring): Promise<void> {
  await db
    .insertInto('installations')
    .values({ secret_check: seal(keyring.key(PURPOSE), PLAIN, PURPOSE) })
    .onConflict((conflict) => conflict.column('single').doNothing())
    .execute()
}

/** From now on this secret is the right one, although what another one sealed stays closed. */
export async function acceptSecret(db: Db, keyring: Keyring): Promise<void> {
  const row = { secret_check: seal(keyring.key(PURPOSE), PLAIN, PURPOSE) }
  await db
    .insertInto('installations')
    .values(row)
    .onConflict((conflict) => conflict.column('single').doUpdateSet(row))
    .execute()
}
