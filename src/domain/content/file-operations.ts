import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { count, id, line, utc } from '../operation/fields.ts'
import type { WriteOperation } from '../operation/operation.ts'

export const fileName = line(255).regex(/^[^/\\]*$/, 'Write a name without slashes.')

const fileSchema = z
  .strictObject({
    object: z.literal('file'),
    id,
    name: fileName,
    content_type: z.string(),
    size_bytes: count,
    sha256: z.string().meta({ description: 'In hexadecimal.' }),
    url: z.string().meta({
      description:
        'Every person who knows this address can download the file, unless a lecture or a digital product has it or had it: then owners and admins alone, in a browser.',
    }),
    created_at: utc,
  })
  .meta({ id: 'File' })

const uploadInput = z.strictObject({
  name: fileName,
  content_type: z.string().max(200),
  size_bytes: count,
  sha256: z.string(),
  storage_key: z.string(),
})

/**
 * Records an upload. Only our own code may call it, after it stored the bytes: a client must not
 * choose the size, digest or storage key.
 */
export const recordUpload: WriteOperation<typeof uploadInput, typeof fileSchema> = {
  name: 'files.create',
  title: 'Upload a file',
  summary: 'Stores the body of the request and answers with its address.',
  scopes: ['storage:write'],
  kind: 'create',
  creates: ['url', 'created_at'],
  input: uploadInput,
  output: fileSchema,
  examples: [{ title: 'A document', input: { name: 'syllabus.pdf' } }],
  async run(tx, caller, { name, content_type, size_bytes, sha256, storage_key }) {
    const made = uuidv7()
    const row = {
      id: made,
      name,
      content_type,
      size_bytes,
      sha256: Buffer.from(sha256, 'hex'),
      storage_key,
      created_by: caller.userId,
    }
    const { created_at } = await tx
      .insert('files', row)
      .returning('created_at')
      .executeTakeFirstOrThrow()
    return {
      object: 'file',
      id: made,
      name,
      content_type,
      size_bytes,
      sha256,
      url: `${caller.origin}/files/${made}`,
      created_at: created_at.toISOString(),
    }
  },
}

export interface StoredFile {
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly storageKey: string
  /**
   * A lecture or a product has it and decides who downloads it, or had it: then members download it
   * nowhere.
   */
  readonly isGuarded: boolean
  /** It is the logo, or the cover of a public course. */
  readonly isShown: boolean
}

export async function findFile(db: SchoolDb, file: string): Promise<StoredFile | undefined> {
  const { rows } = await db.run(sql<StoredFile>`
    select f.name, f.content_type as "contentType", f.size_bytes as "sizeBytes",
      encode(f.sha256, 'hex') as sha256, f.storage_key as "storageKey",
      f.was_guarded
        or exists (select from lectures l where l.school_id = f.school_id and l.file_id = f.id)
        or exists (select from digital_products p where p.school_id = f.school_id and p.file_id = f.id)
        as "isGuarded",
      exists (select from appearances a where a.school_id = f.school_id and a.logo_file_id = f.id)
        or exists (
          select from courses c where c.school_id = f.school_id and c.cover_file_id = f.id
            and c.state = 'published' and c.published_at <= now()) as "isShown"
    from files f where f.school_id = ${db.schoolId} and f.id = ${file}`)
  return rows[0]
}

/**
 * Whether every visitor may have the file. What a lecture or a product guards, or guarded, is
 * public only as a picture that the pages of the school show to visitors.
 */
export function isPublicFile({ isGuarded, isShown, contentType }: StoredFile): boolean {
  return !isGuarded || (isShown && isPicture(contentType))
}

/** Formats that a browser may show in a page: images that cannot contain a script. */
const PICTURES: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'image/png': (head) => head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (head) => head.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/gif': (head) => /^GIF8[79]a/.test(head.toString('latin1')),
  'image/webp': (head) => /^RIFF....WEBP/s.test(head.toString('latin1')),
}

/** A media type without its parameters, which we do not use. */
export function plainType(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9!#$&^_.+-]{1,90}\/[a-z0-9!#$&^_.+-]{1,90}$/.test(type)
    ? type
    : 'application/octet-stream'
}

/** Whether the bytes match their media type; checked only for the types that a browser shows. */
export function fitsFormat(contentType: string, head: Buffer): boolean {
  return PICTURES[contentType]?.(head) ?? true
}

/**
 * The media type to serve: that of an image, and for all other files one that a browser only saves.
 */
export function servedType(contentType: string): string {
  return isPicture(contentType) ? contentType : 'application/octet-stream'
}

/** Other files are served as downloads, which a browser does not show. */
export function isPicture(contentType: string): boolean {
  return Object.hasOwn(PICTURES, contentType)
}
