import { type RawBuilder, sql } from 'kysely'
import { randomId } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { parseUrl } from '../../foundation/net/parse-url.ts'
import type { CleanPicture } from '../../foundation/pictures/clean-picture.ts'
import { redirectUriProblems } from '../../foundation/protocol/redirect-uri.ts'
import { isDeceptiveName, oneLine } from '../../foundation/text/visible-text.ts'
import type { AuditedActor } from '../actor/actor.ts'
import { recordChange } from '../audit/audit.ts'
import { conflict, type InputProblem, notFound, OperationRefused } from '../operation/refusal.ts'
import { MAX_REDIRECT_URIS } from './client-metadata.ts'
import { EXPLORER_CLIENT_ID } from './explorer-client.ts'
import { type Audience, SCOPES_OF_AUDIENCE } from './scope-catalogue.ts'

export interface ApplicationDetails {
  readonly name: string
  readonly redirect_uris: string[]
  readonly post_logout_redirect_uris: string[]
  readonly scopes: string[]
  readonly website_url: string | null
  readonly privacy_url: string | null
}

export interface GivenDetails {
  readonly client_id?: string | undefined
  readonly name?: string | undefined
  readonly redirect_uris?: readonly string[] | undefined
  readonly post_logout_redirect_uris?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
  readonly website_url?: string | null | undefined
  readonly privacy_url?: string | null | undefined
  readonly assistant?: string | undefined
}

/** Never a URL, because a URL names client metadata. */
const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{2,99}$/

/** Refuses wrong details with a sentence for each; a detail that is not given is not judged. */
export function checkDetails(
  {
    client_id,
    name,
    redirect_uris,
    post_logout_redirect_uris,
    scopes,
    assistant,
    ...links
  }: GivenDetails,
  { confidential }: { readonly confidential: boolean },
): void {
  const problems = [
    ...(client_id === undefined || CLIENT_ID.test(client_id)
      ? []
      : [problem('client_id', 'Use 3 to 100 letters, digits, dots, hyphens and underscores.')]),
    ...(name === undefined ? [] : nameProblems(name)),
    ...(redirect_uris === undefined ? [] : uriProblems(redirect_uris, confidential)),
    ...(post_logout_redirect_uris === undefined
      ? []
      : uriProblems(post_logout_redirect_uris, confidential, 'post_logout_redirect_uris')),
    ...(scopes === undefined ? [] : scopeProblems(scopes, 'member')),
    ...linkProblems('website_url', links.website_url),
    ...linkProblems('privacy_url', links.privacy_url),
    ...(assistant !== undefined && confidential
      ? [
          problem(
            'confidential',
            'Leave this off for an assistant: all members share its client_id.',
          ),
        ]
      : []),
  ]
  if (problems.length > 0) throw new OperationRefused({ kind: 'invalid', problems })
}

/**
 * People are sent there from the consent page, so it must be an address that says where it leads.
 */
function linkProblems(
  field: 'website_url' | 'privacy_url',
  link: string | null | undefined,
): readonly InputProblem[] {
  if (link === undefined || link === null) return []
  const url = parseUrl(link)
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === ''
  if (isPlain && link.length <= 500) return []
  return [problem(field, 'Use an https address of at most 500 characters, without a password.')]
}

export const problem = (field: string, detail: string): InputProblem => ({
  pointer: `/${field}`,
  code: 'invalid',
  detail,
})

/** For every client: people see the name when they are asked for consent. */
export function nameProblems(name: string): readonly InputProblem[] {
  if (name.trim() === '' || name.length > 200) return [problem('name', 'Use 1 to 200 characters.')]
  if (!isDeceptiveName(name)) return []
  return [
    problem(
      'name',
      'Remove line breaks, invisible characters and characters that change the text direction.',
    ),
  ]
}

export function uriProblems(
  uris: readonly string[],
  confidential: boolean,
  field: 'redirect_uris' | 'post_logout_redirect_uris' = 'redirect_uris',
): readonly InputProblem[] {
  const atLeast = field === 'redirect_uris' ? 1 : 0
  if (uris.length < atLeast || uris.length > MAX_REDIRECT_URIS) {
    return [problem(field, `List ${atLeast} to ${MAX_REDIRECT_URIS} redirect URIs.`)]
  }
  return uris.flatMap((uri) =>
    redirectUriProblems(uri, { confidential }).map((text) =>
      problem(field, `${uri.slice(0, 200)}: ${text}`),
    ),
  )
}

/** Applications that the school makes act for members, its tools for operators. */
const KIND = { member: 'member applications', operator: 'tools of operators' }

export function scopeProblems(
  scopes: readonly string[],
  audience: Audience,
): readonly InputProblem[] {
  const allowed = SCOPES_OF_AUDIENCE[audience]
  if (scopes.length === 0) {
    return [problem('scopes', `Choose at least one of ${allowed.toArray().join(', ')}.`)]
  }
  const wrong = scopes.filter((scope) => !allowed.has(scope))
  // The list is long, so that only the last sentence has it.
  const choice = ` Choose from ${allowed.toArray().join(', ')}.`
  return wrong.map((scope, place) =>
    problem(
      'scopes',
      `${oneLine(scope, 100)} is not for ${KIND[audience]}.${place === wrong.length - 1 ? choice : ''}`,
    ),
  )
}

/**
 * Locks an application of this school until the transaction ends, and answers with it; refuses if
 * there is none.
 */
export async function lockApplication(tx: SchoolTx, clientId: string) {
  if (clientId === EXPLORER_CLIENT_ID) {
    throw conflict(
      'built_in',
      'The explorer is built in. You can end its access and switch it off, but not change or delete it.',
    )
  }
  const application = await tx
    .from('clients')
    .select([
      ...(['confidential', 'name', 'scopes', 'redirect_uris'] as const),
      ...(['post_logout_redirect_uris', 'website_url', 'privacy_url'] as const),
    ])
    .where('client_id', '=', clientId)
    .where('kind', '=', 'application')
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (application === undefined) throw notFound('application')
  return application
}

export const MOST_LOGO_BYTES = 64 * 1024
/**
 * Served by us: a browser of a person who is asked for consent never loads an address that an app
 * chose.
 */
export const LOGO_PATH = '/app-logos/'

export interface Logo {
  readonly contentType: string
  readonly bytes: Buffer
}

/**
 * Gives an application this picture, or none. Its bytes are in the database: they are few, and few
 * people see them.
 */
export async function setLogo(
  db: SchoolDb,
  by: AuditedActor,
  clientId: string,
  picture: CleanPicture | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
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

export async function findLogo(db: SchoolDb, id: string): Promise<Logo | undefined> {
  const row = await db
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

export async function findAppLinks(db: SchoolDb, clientId: string): Promise<AppLinks> {
  const { rows } = await db.run(sql<{
    website: string | null
    privacy: string | null
    logo: string | null
  }>`
    select c.website_url as website, c.privacy_url as privacy, ${logoUrlOf(sql`c`)} as logo
    from clients c
    where c.school_id = ${db.schoolId} and c.client_id = ${clientId} and c.deleted_at is null`)
  const [row] = rows
  return {
    websiteUrl: row?.website ?? undefined,
    privacyUrl: row?.privacy ?? undefined,
    logoUrl: row?.logo ?? undefined,
  }
}
