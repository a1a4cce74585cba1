import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { School } from '../schools/school.ts'
import { type Client, findClient } from './client.ts'
import { parseClientIdUrl } from './document/client-id-url.ts'
import { type DocumentClients, documentAsClient } from './document-clients.ts'
import { SCOPES_OF_AUDIENCE } from './scope-catalogue.ts'
import { admitVendorPlatform, findVendorPlatform } from './vendor-platforms.ts'

export type AuthorizingClient =
  | { readonly kind: 'known'; readonly client: Client }
  /** In words for the developer; nothing of it is a secret. */
  | { readonly kind: 'refused'; readonly why: string }

/**
 * The client that an authorization request names: an application of the school, a vendor platform
 * of the installation, or the document behind a URL. Nothing is written for a request that may
 * never be finished; the school's own row of a platform or document comes with the consent.
 */
export async function findAuthorizingClient(
  db: Db,
  at: SchoolDb,
  school: School,
  documents: DocumentClients,
  clientId: string,
  address: string,
): Promise<AuthorizingClient> {
  const url = parseClientIdUrl(clientId, { allowLoopbackHttp: documents.loopbackHttp })
  const own = await findClient(at, clientId)
  if (own?.disabled)
    return { kind: 'refused', why: 'This application was switched off by the school.' }
  if (url !== undefined) {
    if (!url.ok) return { kind: 'refused', why: url.description }
    const found = await documents.resolve(db, school, url.url, address)
    if (!found.ok) return { kind: 'refused', why: found.description }
    return { kind: 'known', client: documentAsClient(found.document, own) }
  }
  if (own !== undefined && own.kind === 'application') return { kind: 'known', client: own }
  const platform = await findVendorPlatform(db, clientId)
  if (platform === undefined) {
    return { kind: 'refused', why: 'No application with this client_id is known at this school.' }
  }
  return {
    kind: 'known',
    client: {
      clientId: platform.clientId,
      kind: 'vendor',
      audience: 'operator',
      name: platform.clientName,
      confidential: false,
      redirectUris: platform.redirectUris,
      scopes: SCOPES_OF_AUDIENCE.operator,
      reviewed: true,
      disabled: false,
      secretHash: undefined,
    },
  }
}

/** Gives the school its own row of a client that it meets for the first time. */
export async function admitClient(at: SchoolDb, client: Client): Promise<void> {
  if (client.kind === 'vendor') await admitVendorPlatform(at, client.clientId)
  if (client.kind === 'document') {
    await at
      .insert('clients', {
        client_id: client.clientId,
        kind: 'document',
        audience: 'operator',
        name: client.name,
        redirect_uris: [...client.redirectUris],
        scopes: client.scopes.toArray(),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['school_id', 'client_id'])
          .doUpdateSet({ name: client.name, redirect_uris: [...client.redirectUris] })
          .where('clients.kind', '=', 'document'),
      )
      .execute()
  }
}
