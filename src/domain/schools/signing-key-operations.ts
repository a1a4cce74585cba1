import { sql } from 'kysely'
import { z } from 'zod'
import { generateEs256Key } from '../../foundation/crypto/es256.ts'
import { type Keyring, seal, unseal } from '../../foundation/crypto/seal.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { type AuditedChange, whatChanged } from '../audit/audit.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { unscopedWrite } from '../operation/writing.ts'
import type { KeyStage } from './school.ts'
import { KEY_LEAD_SECONDS, type ListedKey, lockKeys, SIGNING_KEY_PURPOSE } from './signing.ts'

const kid = z.string()
const force = z.boolean().optional()

export const publishKey = (keyring: Keyring) =>
  unscopedWrite({
    name: 'signing_keys.publish',
    title: 'Publish a signing key',
    summary: 'Adds a new key to the JWKS of the school; it signs nothing until it is activated.',
    needsProof: () => true,
    kind: 'create',
    changesSchool: true,
    input: z.strictObject({}),
    output: z.strictObject({ kid, ready_at: z.iso.datetime() }),
    async run(tx) {
      const { kid, published_at } = await addSigningKey(tx, keyring)
      const ready = new Date(published_at.getTime() + KEY_LEAD_SECONDS * 1000)
      return { kid, ready_at: ready.toISOString() }
    },
    audit: ({ kid: subject }) => [{ action: 'key.published', subject }],
  })

/** Adds a key that signs nothing yet. */
export async function addSigningKey(
  tx: SchoolTx,
  keyring: Keyring,
  publishedAt?: Date,
): Promise<{ readonly kid: string; readonly published_at: Date }> {
  const key = generateEs256Key()
  return await tx
    .insert('signing_keys', {
      kid: key.kid,
      stage: 'published',
      public_jwk: JSON.stringify(key.publicJwk),
      sealed_private_key: seal(keyring.key(SIGNING_KEY_PURPOSE), key.privateKey, tx.schoolId),
      ...(publishedAt === undefined ? {} : { published_at: publishedAt }),
    })
    .returning(['kid', 'published_at'])
    .executeTakeFirstOrThrow()
}

/**
 * Refused while a cached key set may still lack the key, unless forced.
 *
 * @see OpenID Connect Core 1.0 §10.1.1
 */
export const activateKey = (keyring: Keyring) =>
  unscopedWrite({
    name: 'signing_keys.activate',
    title: 'Activate a signing key',
    summary: 'Lets a published key sign, and retires the key that signed before.',
    needsProof: () => true,
    kind: 'change',
    changesSchool: true,
    input: z.strictObject({ kid, force }),
    output: z.strictObject({ kid, retired: kid.nullable(), early: z.boolean() }),
    async run(tx, _actor, wanted) {
      const keys = await lockKeys(tx)
      const key = findKey(keys, wanted.kid)
      if (key.stage !== 'published') {
        const detail = `The key ${key.kid} is ${key.stage}; only a published key can be activated.`
        throw conflict(`already_${key.stage}`, detail)
      }
      if (!key.ready && wanted.force !== true) {
        throw conflict(
          'too_early',
          `Some caches of the JWKS may still lack the key ${key.kid}; clients that use them would refuse every ID token.`,
        )
      }
      if (!(await canBeDecrypted(tx, keyring, key.kid))) {
        // If this key were active, every code exchange would fail.
        throw conflict(
          'does_not_open',
          `The key ${key.kid} cannot be decrypted with this installation's secret, so it cannot sign.`,
        )
      }
      const former = keys.find(({ stage }) => stage === 'active')?.kid
      if (former !== undefined) await retire(tx, former)
      await tx
        .update('signing_keys')
        .set({ stage: 'active', activated_at: sql<Date>`now()` })
        .where('kid', '=', key.kid)
        .execute()
      return { kid: key.kid, retired: former ?? null, early: !key.ready }
    },
    audit: ({ kid: subject, retired, early }) => [
      ...(retired === null ? [] : [retiredEntry(retired, 'active')]),
      { action: 'key.activated', subject, detail: early ? { forced: true } : {} },
    ],
  })

/**
 * The key stays in the JWKS for a day, for the tokens that it signed; one that leaked leaves it at
 * once.
 */
export const retireKey = unscopedWrite({
  name: 'signing_keys.retire',
  title: 'Retire a signing key',
  summary: 'Takes a key out of use; the active one only if forced.',
  needsProof: () => true,
  kind: 'change',
  changesSchool: true,
  input: z.strictObject({ kid, force, leaked: z.boolean().optional() }),
  output: z.strictObject({ kid, before: z.enum(['published', 'active', 'retired']) }),
  async run(tx, _actor, wanted) {
    const key = findKey(await lockKeys(tx), wanted.kid)
    if (key.stage === 'retired' && wanted.leaked !== true) {
      throw conflict('already_retired', `The key ${key.kid} is retired already.`)
    }
    if (key.stage === 'active' && wanted.force !== true) {
      throw conflict(
        'signs',
        `The key ${key.kid} signs this school's ID tokens; without it there would be none.`,
      )
    }
    await retire(tx, key.kid, wanted.leaked)
    return { kid: key.kid, before: key.stage }
  },
  audit: ({ kid: subject, before }, { leaked }) => [retiredEntry(subject, before, leaked)],
})

/**
 * A key that never signed is no loss; whether this one did is the first question after an accident.
 */
function retiredEntry(subject: string, before: KeyStage, leaked = false): AuditedChange {
  const changed = whatChanged({ stage: before }, { stage: 'retired' }, ['stage'])
  return { action: 'key.retired', subject, detail: { ...changed, ...(leaked && { leaked }) } }
}

function findKey(keys: readonly ListedKey[], wanted: string): ListedKey {
  const key = keys.find((candidate) => candidate.kid === wanted)
  if (key === undefined) throw notFound('signing_key')
  return key
}

async function canBeDecrypted(tx: SchoolTx, keyring: Keyring, name: string): Promise<boolean> {
  const row = await tx
    .from('signing_keys')
    .select('sealed_private_key')
    .where('kid', '=', name)
    .executeTakeFirstOrThrow()
  const keys = keyring.keys(SIGNING_KEY_PURPOSE)
  return unseal(keys, row.sealed_private_key, tx.schoolId) !== undefined
}

async function retire(tx: SchoolTx, name: string, leaked = false): Promise<void> {
  // The JWKS has keys that were retired in the last day.
  const retiredAt = leaked ? sql<Date>`now() - interval '1 day'` : sql<Date>`now()`
  await tx
    .update('signing_keys')
    .set({ stage: 'retired', retired_at: retiredAt })
    .where('kid', '=', name)
    .execute()
}
