import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { withdrawCodesOfClient } from '../grants/authorizations.ts'
import { endAccessOfClient, endedAccess } from '../grants/end-access.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/writing.ts'
import { admitExplorerClient, EXPLORER_CLIENT_ID } from './explorer-client.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from './scope-catalogue.ts'
import { admitVendorPlatform } from './vendor-platforms.ts'

const input = z.strictObject({ client_id: z.string() })
/** `changed` is false where the client was in the wanted state before; no entry is written then. */
const output = input.extend({ changed: z.boolean() })

/**
 * Switches a client of any kind off at this school only. It gets no new authorizations and no new
 * tokens, and the access tokens that it holds are refused at once. No authorization ends: the
 * client goes on with what it has when it is switched on again.
 */
export const disableClient = unscopedWrite({
  name: 'clients.disable',
  title: 'Switch a client off',
  summary: 'Refuses new authorizations, new tokens and the access tokens that the client holds.',
  kind: 'change',
  input,
  output,
  async run(tx, actor, { client_id }) {
    // A platform or the explorer may be switched off before any person of this school authorized
    // it.
    if (client_id === EXPLORER_CLIENT_ID) await admitExplorerClient(tx)
    else await admitVendorPlatform(tx, client_id, actor)
    // A code that stayed would work again if the client were switched on within its lifetime.
    await withdrawCodesOfClient(tx, client_id)
    const { disabled_at } = await lockClient(tx, client_id)
    if (disabled_at !== null) return { client_id, changed: false }
    await tx
      .update('clients')
      .set({ disabled_at: sql<Date>`now()` })
      .where('client_id', '=', client_id)
      .execute()
    return { client_id, changed: true }
  },
  audit: ({ client_id: clientId, changed }) =>
    changed ? [{ action: 'client.disabled', clientId }] : [],
})

export const enableClient = unscopedWrite({
  name: 'clients.enable',
  title: 'Switch a client on',
  summary: 'Lets a client that was switched off work again.',
  needsProof: () => true,
  kind: 'change',
  input,
  output,
  async run(tx, _actor, { client_id }) {
    const { disabled_at, platform_disabled_at } = await lockClient(tx, client_id)
    if (platform_disabled_at !== null) {
      throw conflict(
        'platform_disabled',
        `The administrator of this server switched the platform ${client_id} off at all schools.`,
      )
    }
    if (disabled_at === null) return { client_id, changed: false }
    await tx
      .update('clients')
      .set({ disabled_at: null })
      .where('client_id', '=', client_id)
      .execute()
    return { client_id, changed: true }
  },
  audit: ({ client_id: clientId, changed }) =>
    changed ? [{ action: 'client.changed', clientId, detail: { disabled: false } }] : [],
})

export const reviewClient = unscopedWrite({
  name: 'clients.review',
  title: 'Review a client',
  summary: 'Lets a client that published its own metadata ask for write scopes.',
  needsProof: () => true,
  kind: 'change',
  input,
  output,
  async run(tx, actor, { client_id }) {
    const { reviewed_at } = await lockDocument(tx, client_id)
    if (reviewed_at !== null) return { client_id, changed: false }
    await tx
      .update('clients')
      .set({
        reviewed_at: sql<Date>`now()`,
        reviewed_by: actor.userId ?? null,
        scopes: SCOPES_OF_AUDIENCE.operator.toArray(),
      })
      .where('client_id', '=', client_id)
      .execute()
    return { client_id, changed: true }
  },
  audit: ({ client_id: clientId, changed }) =>
    changed ? [{ action: 'client.reviewed', clientId }] : [],
})

/** Narrows a client like `changeApplication` does: its next refresh gives no scope that it lost. */
export const withdrawReview = unscopedWrite({
  name: 'clients.withdraw_review',
  title: 'Withdraw a review',
  summary: 'Leaves a client that published its own metadata only identity and read scopes.',
  kind: 'change',
  input,
  output,
  async run(tx, _actor, { client_id }) {
    const { reviewed_at } = await lockDocument(tx, client_id)
    if (reviewed_at === null) return { client_id, changed: false }
    await tx
      .update('clients')
      .set({ reviewed_at: null, reviewed_by: null, scopes: UNREVIEWED_SCOPES.toArray() })
      .where('client_id', '=', client_id)
      .execute()
    return { client_id, changed: true }
  },
  audit: ({ client_id: clientId, changed }) =>
    changed ? [{ action: 'client.changed', clientId, detail: { reviewed: false } }] : [],
})

/**
 * Ends all that people gave a client of any kind. It may ask them again; to prevent that, disable
 * it.
 */
export const endClientAccess = unscopedWrite({
  name: 'clients.end_access',
  title: 'End all access of a client',
  summary: 'Ends every authorization that people gave the client; its tokens stop working at once.',
  kind: 'change',
  input,
  output: input.extend(endedAccess),
  async run(tx, actor, { client_id }) {
    await withdrawCodesOfClient(tx, client_id)
    await lockClient(tx, client_id)
    return { client_id, people: await endAccessOfClient(tx, actor, client_id) }
  },
  audit: ({ client_id: clientId, people }) => [
    { action: 'authorization.ended', clientId, detail: { by: 'operator', people } },
  ],
})

async function lockDocument(tx: SchoolTx, clientId: string) {
  const client = await lockClient(tx, clientId)
  if (client.kind === 'document') return client
  throw conflict(
    'no_client_metadata',
    `${clientId} has no client metadata of its own, so there is nothing to review.`,
  )
}

async function lockClient(tx: SchoolTx, clientId: string) {
  const client = await tx
    .from('clients')
    .select(['kind', 'disabled_at', 'platform_disabled_at', 'reviewed_at'])
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (client === undefined) throw notFound('client')
  return client
}
