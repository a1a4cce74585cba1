import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import { type MintedToken, mintToken } from '../../../foundation/protocol/token-format.ts'
import { conflict } from '../../operation/refusal.ts'
import { unscopedWrite } from '../../operation/without-scope.ts'
import { lockApplication } from './lock-application.ts'

/** How long the old secret is accepted beside the new one. */
export const OLD_SECRET_HOURS = 24

const named = z.strictObject({ client_id: z.string() })

export function newSecret(): MintedToken {
  return mintToken('clientSecret', uuidv7())
}

/**
 * Gives a confidential application a new secret. The one it had is accepted for a day longer, so that
 * the application goes on while the new one is put into it; `end_old` is for a secret that leaked. Two
 * secrets live at most: an older one ends at once.
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
