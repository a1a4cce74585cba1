import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { ClientKind } from './client.ts'
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
  readonly scopes: readonly string[]
  readonly reviewed: boolean
  readonly disabled: boolean
  /** The administrator switched the platform off at all schools. */
  readonly platformDisabled: boolean
  readonly createdAt: Date
  readonly secretRotatedAt: Date | undefined
}

/** Every client that the school knows, deleted ones apart, oldest first. */
export async function listClients(
  at: SchoolDb,
  kind?: ClientKind,
): Promise<readonly ListedClient[]> {
  const rows = await selectClients(at)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as ClientKind))
    .orderBy('created_at')
    .orderBy('client_id')
    .execute()
  return rows.map(listedFromRow)
}

/** One client of the school as the lists show it. */
export async function findListedClient(
  at: SchoolDb,
  clientId: string,
): Promise<ListedClient | undefined> {
  const row = await selectClients(at).where('client_id', '=', clientId).executeTakeFirst()
  return row === undefined ? undefined : listedFromRow(row)
}

/** A tool of the school by the name in its address. */
export async function findListedTool(
  at: SchoolDb,
  slug: string,
): Promise<ListedClient | undefined> {
  const row = await selectClients(at).where('slug', '=', slug).executeTakeFirst()
  return row === undefined ? undefined : listedFromRow(row)
}

function selectClients(at: SchoolDb) {
  return at
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
    scopes: row.scopes,
    reviewed: row.reviewed_at !== null,
    disabled: row.disabled_at !== null || row.platform_disabled_at !== null,
    platformDisabled: row.platform_disabled_at !== null,
    createdAt: row.created_at,
    secretRotatedAt: row.secret_rotated_at ?? undefined,
  }
}
