import { type RawBuilder, sql } from 'kysely'
import { randomId } from '../../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { CleanPicture } from '../../../foundation/pictures/clean-picture.ts'
import type { AuditedActor } from '../../actor.ts'
import { recordChange } from '../../audit/record-change.ts'
import { lockApplication } from './lock-application.ts'

export const MOST_LOGO_BYTES = 64 * 1024
/** Served by us: a browser of a person who is asked for consent never loads an address that an app chose. */
export const LOGO_PATH = '/app-logos/'

export interface Logo {
  readonly contentType: string
  readonly bytes: Buffer
}

/** Gives an application this picture, or none. Its bytes are in the database: they are few, and few people see them. */
export async function setLogo(
  at: SchoolDb,
  by: AuditedActor,
  clientId: string,
  picture: CleanPicture | undefined,
): Promise<void> {
  await at.transaction(async (tx) => {
    await lockApplication(tx, clientId)
    const before = await tx
      .delete('client_logos')
      .where('client_id', '=', clientId)
      .returning('id')
      .executeTakeFirst()
    if (picture !== undefined) {
      await tx
        .insert('client_logos', {
          client_id: clientId,
          id: randomId(),
          content_type: picture.contentType,
          bytes: picture.bytes,
        })
        .execute()
    } else if (before === undefined) return
    const added = before === undefined ? 'added' : 'replaced'
    const detail = { logo: picture === undefined ? 'removed' : added }
    await recordChange(tx, by, { action: 'client.changed', clientId, detail })
  })
}

export async function findLogo(at: SchoolDb, id: string): Promise<Logo | undefined> {
  const row = await at
    .from('client_logos')
    .select(['content_type', 'bytes'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : { contentType: row.content_type, bytes: row.bytes }
}

/** The address of the logo of a row of `clients`, or null. */
export function logoUrlOf(client: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(
    select ${sql.lit(LOGO_PATH)} || l.id from client_logos l
    where l.school_id = ${client}.school_id and l.client_id = ${client}.client_id)`
}

/** What the school says about one of its applications, for people who decide about it. */
export interface AppLinks {
  readonly websiteUrl: string | undefined
  readonly privacyUrl: string | undefined
  readonly logoUrl: string | undefined
}

export async function findAppLinks(at: SchoolDb, clientId: string): Promise<AppLinks> {
  const { rows } = await at.run(sql<{
    website: string | null
    privacy: string | null
    logo: string | null
  }>`
    select c.website_url as website, c.privacy_url as privacy, ${logoUrlOf(sql`c`)} as logo
    from clients c
    where c.school_id = ${at.schoolId} and c.client_id = ${clientId} and c.deleted_at is null`)
  const [row] = rows
  return {
    websiteUrl: row?.website ?? undefined,
    privacyUrl: row?.privacy ?? undefined,
    logoUrl: row?.logo ?? undefined,
  }
}
