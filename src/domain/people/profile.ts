import { sql } from 'kysely'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { randomId } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { CleanPicture } from '../../foundation/pictures/clean-picture.ts'
import { type FileStore, keyOf } from '../../foundation/storage/file-store.ts'
import { visibleText } from '../../foundation/text/visible-text.ts'
import { record } from '../audit/audit.ts'
import { line } from '../operation/fields.ts'

/** As wherever the name of a person is typed. */
const typedName = line(200)

/** The name as it will be stored, or what is wrong with it. */
export function readName(typed: string): { name: string } | { problem: string } {
  const name = visibleText(typed).trim()
  const checked = typedName.safeParse(name)
  if (checked.success) return { name: checked.data.trim() }
  const [issue] = name === '' ? [] : checked.error.issues
  return { problem: issue?.message ?? 'Enter your name.' }
}

/**
 * Changes the name of a person, at every school. Schools where they have never signed in go on
 * seeing the name they typed.
 */
export async function changeName(
  tx: SchoolTx,
  userId: string,
  name: string,
  requestId: string,
): Promise<void> {
  await acrossSchools(tx)
    .updateTable('users')
    .set({ name })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute()
  await recordProfileChange(tx, userId, 'name', requestId)
}

/** Says what was changed, and not to what: the audit log outlives it. */
async function recordProfileChange(
  tx: SchoolTx,
  userId: string,
  changed: 'name' | 'picture',
  requestId: string,
): Promise<void> {
  const detail = { changed }
  await record(tx, {
    ...{ action: 'person.profile_changed', outcome: 'ok', actorUserId: userId },
    ...{ detail, requestId },
  })
}

export const MOST_PICTURE_BYTES = 256 * 1024
/** Served at the origin of every school. */
export const PICTURE_PATH = '/pictures/'

/** Pictures of a person that wait for their removal. */
const MOST_UNUSED = 20
/** Longer than an upload takes: one that is being stored is not in use yet. */
const KEPT_UNUSED_MINUTES = 60

/**
 * Stores a picture and makes it that of the person. Its row is there before its bytes, so that the
 * purge finds them whenever this process ends. False if the person has stored too many in the last
 * hour.
 */
export async function setPicture(
  db: SchoolDb,
  store: FileStore,
  userId: string,
  { bytes, contentType }: CleanPicture,
  requestId: string,
): Promise<boolean> {
  const id = randomId()
  const key = keyOf(id, sha256(bytes))
  const { rows } = await sql<{ id: string }>`
    insert into person_pictures (id, user_id, content_type, size_bytes, storage_key)
    select ${id}, ${userId}, ${contentType}, ${bytes.length}, ${key}
    where (select count(*) from person_pictures where user_id = ${userId}) < ${MOST_UNUSED}
    returning id`.execute(acrossSchools(db))
  if (rows.length === 0) return false
  await store.write(id, inOnePiece(bytes), bytes.length)
  await usePicture(db, userId, id, requestId)
  return true
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes
}

export async function removePicture(
  db: SchoolDb,
  userId: string,
  requestId: string,
): Promise<void> {
  await usePicture(db, userId, null, requestId)
}

async function usePicture(
  db: SchoolDb,
  userId: string,
  id: string | null,
  requestId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const across = acrossSchools(tx)
    const changed = await across
      .updateTable('users')
      .set({ avatar_url: id === null ? null : PICTURE_PATH + id })
      .where('id', '=', userId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (Number(changed.numUpdatedRows) === 0) return
    await leavePictures(across, userId, id)
    await recordProfileChange(tx, userId, 'picture', requestId)
  })
}

/** From now on no picture of the person is served, but this one. */
export async function leavePictures(
  db: Db,
  userId: string,
  except: string | null = null,
): Promise<void> {
  await sql`
    update person_pictures set unused_since = case when id is distinct from ${except}::uuid then now() end
    where user_id = ${userId} and (unused_since is null or id = ${except}::uuid)`.execute(db)
}

export interface StoredPicture {
  readonly contentType: string
  readonly sizeBytes: number
  readonly storageKey: string
}

/** Crosses schools: the address is the same at all of them, and no one can guess it. */
export async function findPicture(db: Db, id: string): Promise<StoredPicture | undefined> {
  const { rows } = await sql<StoredPicture>`
    select content_type as "contentType", size_bytes as "sizeBytes", storage_key as "storageKey"
    from person_pictures where id = ${id} and unused_since is null`.execute(db)
  return rows[0]
}

/** Crosses schools: removes pictures that are not in use, bytes first. Returns how many. */
export async function purgePictures(db: Db, store: FileStore): Promise<number> {
  const { rows } = await sql<{ id: string; storage_key: string }>`
    select id, storage_key from person_pictures
    where unused_since < now() - make_interval(mins => ${sql.lit(KEPT_UNUSED_MINUTES)})
    order by unused_since limit 100`.execute(db)
  for (const { id, storage_key } of rows) {
    await store.remove(storage_key)
    await db.deleteFrom('person_pictures').where('id', '=', id).execute()
  }
  return rows.length
}
