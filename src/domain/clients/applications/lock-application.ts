import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import { conflict, notFound } from '../../operation/refusal.ts'
import { EXPLORER_CLIENT_ID } from '../explorer-client.ts'

/** Locks an application of this school until the transaction ends, and answers with it; refuses if there is none. */
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
