import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { logoUrlOf } from './application-details.ts'
import { type Assistant, isAssistant } from './assistants.ts'
import type { ClientKind } from './client.ts'
import { EXPLORER_CLIENT_ID, explorerAt } from './explorer-client.ts'
import type { Audience } from './scope-catalogue.ts'

export interface ListedClient {
  readonly clientId: string
  readonly kind: ClientKind
  /** Of a tool. */
  readonly slug: string | undefined
  readonly audience: Audience
  readonly name: string
  readonly confidential: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly scopes: readonly string[]
  readonly reviewed: boolean
  readonly disabled: boolean
  /** The administrator switched the platform off at all schools. */
  readonly platformDisabled: boolean
  readonly websiteUrl: string | undefined
  readonly privacyUrl: string | undefined
  readonly logoUrl: string | undefined
  /** Whose template made the application. */
  readonly assistant: Assistant | undefined
  /** The explorer: a school can switch it off, and change nothing else. */
  readonly builtIn: boolean
  readonly createdAt: Date
  readonly secretRotatedAt: Date | undefined
  /** Until when the secret before the last renewal is accepted; absent afterwards. */
  readonly oldSecretExpiresAt: Date | undefined
}

/** Every client that the school knows, deleted ones apart, oldest first. */
export async function listClients(
  db: SchoolDb,
  kind?: ClientKind,
): Promise<readonly ListedClient[]> {
  const unused = kind === undefined || kind === 'application' ? await unusedExplorer(db) : []
  const rows = await selectClients(db)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as ClientKind))
    .orderBy('created_at')
    .orderBy('client_id')
    .execute()
  return [...unused, ...rows.map(listedFromRow)]
}

/** One client of the school as the lists show it. */
export async function findListedClient(
  db: SchoolDb,
  clientId: string,
): Promise<ListedClient | undefined> {
  const row = await selectClients(db).where('client_id', '=', clientId).executeTakeFirst()
  if (row !== undefined) return listedFromRow(row)
  return clientId === EXPLORER_CLIENT_ID ? (await unusedExplorer(db))[0] : undefined
}

/** The explorer while it has no row yet: it exists since its school does. */
async function unusedExplorer(db: SchoolDb): Promise<ListedClient[]> {
  const { rows } = await db.run(sql<{ origin: string; created_at: Date }>`
    select s.origin, s.created_at from schools s
    where s.id = ${db.schoolId} and s.mcp_connections and not exists (
      select from clients c where c.school_id = s.id and c.client_id = ${EXPLORER_CLIENT_ID})`)
  return rows.map(({ origin, created_at }) => ({
    ...explorerAt(origin),
    slug: undefined,
    scopes: explorerAt(origin).scopes.toArray(),
    platformDisabled: false,
    websiteUrl: undefined,
    privacyUrl: undefined,
    logoUrl: undefined,
    assistant: undefined,
    builtIn: true,
    createdAt: created_at,
    postLogoutRedirectUris: [],
    secretRotatedAt: undefined,
    oldSecretExpiresAt: undefined,
  }))
}

/** A tool of the school by the name in its address. */
export async function findListedTool(
  db: SchoolDb,
  slug: string,
): Promise<ListedClient | undefined> {
  const row = await selectClients(db).where('slug', '=', slug).executeTakeFirst()
  return row === undefined ? undefined : listedFromRow(row)
}

function selectClients(db: SchoolDb) {
  return db
    .from('clients')
    .select([
      'client_id',
      'kind',
      'slug',
      'audience',
      'name',
      'confidential',
      'redirect_uris',
      'scopes',
    ])
    .select([
      'reviewed_at',
      'disabled_at',
      'platform_disabled_at',
      'created_at',
      'secret_rotated_at',
    ])
    .select(['post_logout_redirect_uris', 'assistant', 'website_url', 'privacy_url'])
    .select(
      sql<Date | null>`case when old_secret_expires_at > now() then old_secret_expires_at end`.as(
        'old_secret_until',
      ),
    )
    .select(logoUrlOf(sql`clients`).as('logo_url'))
    .where('deleted_at', 'is', null)
}

type ClientRow = Awaited<ReturnType<ReturnType<typeof selectClients>['execute']>>[number]

function listedFromRow(row: ClientRow): ListedClient {
  return {
    clientId: row.client_id,
    kind: row.kind,
    slug: row.slug ?? undefined,
    audience: row.audience,
    name: row.name,
    confidential: row.confidential,
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    scopes: row.scopes,
    reviewed: row.reviewed_at !== null,
    disabled: row.disabled_at !== null || row.platform_disabled_at !== null,
    platformDisabled: row.platform_disabled_at !== null,
    assistant: isAssistant(row.assistant) ? row.assistant : undefined,
    websiteUrl: row.website_url ?? undefined,
    privacyUrl: row.privacy_url ?? undefined,
    logoUrl: row.logo_url ?? undefined,
    builtIn: row.client_id === EXPLORER_CLIENT_ID,
    createdAt: row.created_at,
    secretRotatedAt: row.secret_rotated_at ?? undefined,
    oldSecretExpiresAt: row.old_secret_until ?? undefined,
  }
}
