import { sql } from 'kysely'
import { z } from 'zod'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { randomSecret, uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { type MintedToken, mintToken } from '../../foundation/protocol/token-format.ts'
import { whatChanged } from '../audit/audit.ts'
import { withdrawCodesOfClient } from '../grants/authorizations.ts'
import { endAccessOfClient, endedAccess } from '../grants/end-access.ts'
import { conflict } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/writing.ts'
import {
  type ApplicationDetails,
  checkDetails,
  type GivenDetails,
  lockApplication,
} from './application-details.ts'
import { ASSISTANT_IDS } from './assistants.ts'
import { EXPLORER_CLIENT_ID } from './explorer-client.ts'

/** `checkDetails` judges the values, because what a redirect URI may be depends on the client. */
const details = z.strictObject({
  name: z.string(),
  redirect_uris: z.array(z.string()),
  post_logout_redirect_uris: z.array(z.string()),
  scopes: z.array(z.string()),
  website_url: z.string().min(1).nullable(),
  privacy_url: z.string().min(1).nullable(),
})
const named = z.strictObject({ client_id: z.string() })

/**
 * Creates a member application. The answer is the only place where the secret of a confidential
 * application is shown; only its hash is stored. The id of a deleted application stays taken, so
 * that no other application can be mistaken for it. `assistant` only says whose steps members are
 * shown: the fields that its template fills in are sent and judged like any others.
 */
export const createApplication = unscopedWrite({
  name: 'applications.create',
  title: 'Create an application',
  summary: 'Creates a member application, with a secret if it is confidential.',
  needsProof: () => true,
  kind: 'create',
  input: details.extend({
    post_logout_redirect_uris: details.shape.post_logout_redirect_uris.default([]),
    website_url: details.shape.website_url.default(null),
    privacy_url: details.shape.privacy_url.default(null),
    confidential: z.boolean(),
    client_id: z.string().optional(),
    assistant: z.enum(ASSISTANT_IDS).optional(),
  }),
  output: details.extend({
    client_id: z.string(),
    client_secret: z.string().nullable(),
    confidential: z.boolean(),
    assistant: z.enum(ASSISTANT_IDS).nullable(),
  }),
  async run(tx, actor, { client_id, confidential, assistant, ...given }) {
    checkDetails({ ...given, client_id, assistant }, { confidential })
    const clientId = client_id ?? `app-${randomSecret(9).toString('hex')}`
    const secret = confidential ? newSecret() : undefined
    const columns = columnsOf(given)
    const row = await tx
      .insert('clients', {
        client_id: clientId,
        kind: 'application',
        audience: 'member',
        ...columns,
        confidential,
        secret_hash: secret?.hash ?? null,
        assistant: assistant ?? null,
        created_by: actor.userId ?? null,
      })
      .onConflict((conflicting) => conflicting.columns(['school_id', 'client_id']).doNothing())
      .returning('client_id')
      .executeTakeFirst()
    // After the insert: a platform that is added at the same time then either waits for it or is
    // seen here.
    if (row === undefined || (await isReserved(tx, clientId))) throw taken(clientId)
    return {
      ...columns,
      client_id: clientId,
      client_secret: secret?.value ?? null,
      confidential,
      assistant: assistant ?? null,
    }
  },
  audit: ({ client_id: clientId, name, scopes, confidential, assistant, ...made }) => {
    const { redirect_uris, post_logout_redirect_uris, website_url, privacy_url } = made
    const detail = {
      ...{ name, redirect_uris, post_logout_redirect_uris, scopes, confidential },
      ...(website_url === null ? {} : { website_url }),
      ...(privacy_url === null ? {} : { privacy_url }),
      ...(assistant === null ? {} : { assistant }),
    }
    return [{ action: 'client.created', clientId, detail }]
  },
})

/**
 * An application with the id of a platform or of the explorer would get their sign-ins at its own
 * URIs.
 */
async function isReserved(tx: SchoolTx, clientId: string): Promise<boolean> {
  if (clientId.toLowerCase() === EXPLORER_CLIENT_ID) return true
  const { rows } = await tx.run(
    sql`select from vendor_platforms where lower(client_id) = ${clientId.toLowerCase()}`,
  )
  return rows.length > 0
}

/** Gives an application a secret that others know already, as in the demo world. */
export async function setKnownSecret(
  tx: SchoolTx,
  clientId: string,
  secret: string,
): Promise<void> {
  await tx
    .update('clients')
    .set({ secret_hash: sha256(secret) })
    .where('client_id', '=', clientId)
    .execute()
}

/**
 * What people agreed to stays as it is. A refresh gives the part of it that the application holds
 * at that moment, so a scope that comes back is given again.
 */
export const changeApplication = unscopedWrite({
  name: 'applications.change',
  title: 'Change an application',
  summary: 'Changes the given fields; all others stay unchanged.',
  // Its name and links are what people judge on the consent page.
  needsProof: () => true,
  kind: 'change',
  input: named.extend(details.partial().shape),
  output: named.extend({ before: details, changed: details.partial() }),
  async run(tx, _actor, { client_id, ...given }) {
    const { confidential, ...before } = await lockApplication(tx, client_id)
    checkDetails(given, { confidential })
    const changed = columnsOf(given)
    if (Object.keys(changed).length > 0) {
      await tx.update('clients').set(changed).where('client_id', '=', client_id).execute()
    }
    return { client_id, before, changed }
  },
  audit({ client_id: clientId, before, changed }) {
    const detail = whatChanged(before, changed, Object.keys(details.shape))
    return Object.keys(detail).length === 0
      ? []
      : [{ action: 'client.changed', clientId, detail: { ...detail } }]
  },
})

export const deleteApplication = unscopedWrite({
  name: 'applications.delete',
  title: 'Delete an application',
  summary: 'Deletes an application and ends every authorization that people gave it.',
  needsProof: () => true,
  kind: 'remove',
  input: named,
  output: named.extend(endedAccess),
  async run(tx, actor, { client_id }) {
    await withdrawCodesOfClient(tx, client_id)
    await lockApplication(tx, client_id)
    await tx
      .update('clients')
      .set({ deleted_at: sql<Date>`now()` })
      .where('client_id', '=', client_id)
      .execute()
    return { client_id, people: await endAccessOfClient(tx, actor, client_id) }
  },
  audit: ({ client_id: clientId, people }) => [
    { action: 'client.deleted', clientId, detail: { people } },
  ],
})

const taken = (clientId: string) =>
  conflict('taken', `The client_id ${clientId} is taken at this school.`)

function columnsOf(given: ApplicationDetails): ApplicationDetails
function columnsOf(given: GivenDetails): Partial<ApplicationDetails>
function columnsOf(given: GivenDetails): Partial<ApplicationDetails> {
  const { name, redirect_uris, post_logout_redirect_uris, scopes, website_url, privacy_url } = given
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(redirect_uris === undefined ? {} : { redirect_uris: [...new Set(redirect_uris)] }),
    ...(post_logout_redirect_uris === undefined
      ? {}
      : { post_logout_redirect_uris: [...new Set(post_logout_redirect_uris)] }),
    ...(scopes === undefined ? {} : { scopes: ScopeSet.of(scopes).toArray() }),
    ...(website_url === undefined ? {} : { website_url }),
    ...(privacy_url === undefined ? {} : { privacy_url }),
  }
}

/** How long the old secret is accepted beside the new one. */
export const OLD_SECRET_HOURS = 24

function newSecret(): MintedToken {
  return mintToken('clientSecret', uuidv7())
}

/**
 * Gives a confidential application a new secret. The one it had is accepted for a day longer, so
 * that the application goes on while the new one is put into it; `end_old` is for a secret that
 * leaked. Two secrets live at most: an older one ends at once.
 */
export const rotateSecret = unscopedWrite({
  name: 'applications.rotate_secret',
  title: 'Renew the secret of an application',
  summary: `Gives a confidential application a new secret; the old one works for ${OLD_SECRET_HOURS} hours more.`,
  needsProof: () => true,
  kind: 'change',
  input: named.extend({ end_old: z.boolean().optional() }),
  output: named.extend({
    client_secret: z.string(),
    old_secret_expires_at: z.iso.datetime().nullable(),
  }),
  async run(tx, _actor, { client_id, end_old = false }) {
    await lockConfidential(tx, client_id)
    const secret = newSecret()
    const { old_secret_expires_at: until } = await tx
      .update('clients')
      .set({
        secret_hash: secret.hash,
        secret_rotated_at: sql<Date>`now()`,
        old_secret_hash: end_old ? null : sql<Buffer>`secret_hash`,
        old_secret_expires_at: end_old
          ? null
          : sql<Date>`now() + make_interval(hours => ${OLD_SECRET_HOURS})`,
      })
      .where('client_id', '=', client_id)
      .returning('old_secret_expires_at')
      .executeTakeFirstOrThrow()
    return {
      client_id,
      client_secret: secret.value,
      old_secret_expires_at: until?.toISOString() ?? null,
    }
  },
  audit: ({ client_id: clientId, old_secret_expires_at }) => [
    { action: 'client.secret_rotated', clientId, detail: { old_secret_expires_at } },
  ],
})

/** `changed` is false if the application had no old secret, or only one whose day was over. */
export const endOldSecret = unscopedWrite({
  name: 'applications.end_old_secret',
  title: 'End the old secret of an application',
  summary: 'Refuses the secret before the last renewal from now on.',
  needsProof: () => true,
  kind: 'change',
  input: named,
  output: named.extend({ changed: z.boolean() }),
  async run(tx, _actor, { client_id }) {
    await lockConfidential(tx, client_id)
    const ended = await tx
      .update('clients')
      .set({ old_secret_hash: null, old_secret_expires_at: null })
      .where('client_id', '=', client_id)
      .where('old_secret_expires_at', '>', sql<Date>`now()`)
      .returning('client_id')
      .executeTakeFirst()
    return { client_id, changed: ended !== undefined }
  },
  audit: ({ client_id: clientId, changed }) =>
    changed ? [{ action: 'client.secret_ended', clientId }] : [],
})

async function lockConfidential(tx: SchoolTx, clientId: string): Promise<void> {
  const { confidential } = await lockApplication(tx, clientId)
  if (!confidential) {
    throw conflict('public', `${clientId} is a public application and has no secret.`)
  }
}
