import { describe, expect, test } from 'vitest'
import {
  checkSealedKeys,
  KEY_LEAD_SECONDS,
  listKeys,
  schoolsWithoutKeys,
} from '../../src/domain/schools/signing.ts'
import {
  activateKey,
  publishKey,
  retireKey,
} from '../../src/domain/schools/signing-key-operations.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { JWKS_SECONDS } from '../../src/surfaces/oauth/discovery.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair } from '../support/client-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const { keyring } = world.context

const publish = async (school: TestSchool, ring = keyring) =>
  outputOf(await performByCommandLine(school, publishKey(ring), {}))
const activate = (school: TestSchool, kid: string, force = false) =>
  performByCommandLine(school, activateKey(keyring), { kid, force })
const retire = (school: TestSchool, kid: string, force = false) =>
  performByCommandLine(school, retireKey, { kid, force })
const stagesOf = async ({ db }: TestSchool) =>
  Object.fromEntries((await listKeys(db)).map(({ kid, stage }) => [kid, stage]))

/** Sets the key to be published so many seconds ago. */
async function age({ db }: TestSchool, kid: string, seconds: number): Promise<void> {
  const publishedAt = new Date(Date.now() - seconds * 1000)
  await db
    .update('signing_keys')
    .set({ published_at: publishedAt })
    .where('kid', '=', kid)
    .execute()
}

async function keySetOf(school: TestSchool): Promise<{ status: number; kids: string[] }> {
  world.context.directory.forget()
  const host = new URL(school.origin).host
  const metadata = (
    await world.app.inject({ url: '/.well-known/openid-configuration', headers: { host } })
  ).json()
  if (metadata.jwks_uri === undefined) return { status: 404, kids: [] }
  const answer = await world.app.inject({
    url: new URL(metadata.jwks_uri).pathname,
    headers: { host },
  })
  const keys: { kid: string }[] = answer.json().keys
  return { status: answer.statusCode, kids: keys.map(({ kid }) => kid) }
}

test('a new key waits longer than any cache may keep the key set', () => {
  expect(KEY_LEAD_SECONDS).toBeGreaterThan(JWKS_SECONDS + 60)
})

test('a thief of a signing key: it leaves the key set at once, also if it is retired already', async () => {
  const school = await world.aSchool({ signing: 'active' })
  const old = (await listKeys(school.db))[0]?.kid ?? ''
  const leak = () => performByCommandLine(school, retireKey, { kid: old, leaked: true })
  expect(await leak()).toMatchObject({ code: 'signs' })
  const { kid } = await publish(school)
  outputOf(await activate(school, kid, true))
  expect((await keySetOf(school)).kids).toContain(old)
  outputOf(await leak())
  expect((await keySetOf(school)).kids).toEqual([kid])
  const { detail } = await school.db
    .from('audit_entries')
    .select('detail')
    .where('subject', '=', old)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(detail).toMatchObject({ leaked: true })
})

describe('rotation', () => {
  verifies(
    ['keys.publish-then-activate', 'trouble.new-key-signs-at-once'],
    'a new key is in the key set at once, and signs only when every cache must have it',
    async () => {
      const school = await world.aSchool({ signing: 'active' })
      const [old] = await listKeys(school.db)
      const { kid } = await publish(school)
      expect((await keySetOf(school)).kids.sort()).toEqual([kid, old?.kid].sort())
      await age(school, kid, KEY_LEAD_SECONDS - 60)
      expect(await activate(school, kid)).toMatchObject({ code: 'too_early' })
      expect(await stagesOf(school)).toMatchObject({
        [kid]: 'published',
        [old?.kid ?? '']: 'active',
      })
      await age(school, kid, KEY_LEAD_SECONDS + 1)
      expect(outputOf(await activate(school, kid))).toMatchObject({ retired: old?.kid })
      expect(await stagesOf(school)).toEqual({ [kid]: 'active', [old?.kid ?? '']: 'retired' })
    },
  )

  verifies(
    ['keys.retired-stay', 'trouble.key-vanishes-under-cache'],
    'tokens of the old key can be verified after it is retired',
    async () => {
      const school = await world.aSchool({ signing: 'active' })
      const client = await world.aPublicClient(school)
      const member = await world.aMember(school)
      const { id_token = '' } = await aPair(world, school, client, member)
      const [, payload] = id_token.split('.')
      const { exp, iat } = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())
      const [old] = await listKeys(school.db)
      const { kid } = await publish(school)
      expect(outputOf(await activate(school, kid, true))).toMatchObject({ retired: old?.kid })
      expect((await keySetOf(school)).kids).toContain(old?.kid)
      const retiredAt = new Date(Date.now() - (exp - iat) * 1000 - 60_000)
      await school.db
        .update('signing_keys')
        .set({ retired_at: retiredAt })
        .where('stage', '=', 'retired')
        .execute()
      expect((await keySetOf(school)).kids).toContain(old?.kid)
    },
  )

  test('of two activations at once one wins, and one key signs', async () => {
    const school = await world.aSchool({ signing: 'active' })
    const kids = await Promise.all([publish(school), publish(school)])
    const outcomes = await Promise.all(kids.map(({ kid }) => activate(school, kid, true)))
    expect(outcomes.every(({ kind }) => kind === 'done')).toBe(true)
    const stages = Object.values(await stagesOf(school))
    expect(stages.filter((stage) => stage === 'active')).toHaveLength(1)
    expect(stages.filter((stage) => stage === 'retired')).toHaveLength(2)
  })

  test('a key that is retired, already active or of another school is not activated', async () => {
    const school = await world.aSchool({ signing: 'active' })
    const other = await world.aSchool({ signing: 'none' })
    const { kid } = await publish(school)
    expect(await activate(other, kid, true)).toMatchObject({ kind: 'not_found' })
    await activate(school, kid, true)
    expect(await activate(school, kid, true)).toMatchObject({ code: 'already_active' })
    await retire(school, kid, true)
    expect(await activate(school, kid, true)).toMatchObject({ code: 'already_retired' })
  })

  test('a key that the secret cannot decrypt is not activated, since no code could be exchanged', async () => {
    const school = await world.aSchool({ signing: 'none' })
    const foreign = new Keyring('the secret of quite another installation')
    const { kid } = await publish(school, foreign)
    expect(await activate(school, kid, true)).toMatchObject({ code: 'does_not_open' })
  })
})

describe('retiring', () => {
  test('the active key needs force, a published one does not', async () => {
    const school = await world.aSchool({ signing: 'active' })
    const [active] = await listKeys(school.db)
    const { kid } = await publish(school)
    expect(await retire(school, active?.kid ?? '')).toMatchObject({ code: 'signs' })
    expect(await retire(school, kid)).toMatchObject({ kind: 'done' })
    expect(await retire(school, kid)).toMatchObject({ code: 'already_retired' })
    expect(await retire(school, active?.kid ?? '', true)).toMatchObject({ kind: 'done' })
    expect(await retire(school, 'unknown-kid')).toMatchObject({ kind: 'not_found' })
  })
})

describe('a stored key', () => {
  verifies('keys.sealed', 'cannot be used without the secret, or at another school', async () => {
    const school = await world.aSchool({ signing: 'none' })
    const { kid } = await publish(school)
    const row = await school.db
      .from('signing_keys')
      .selectAll()
      .where('kid', '=', kid)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain('"d":')
    const right = await checkSealedKeys(world.database.db, keyring)
    expect(right.unreadable).not.toContain(`${school.subdomain}/${kid}`)
    const wrong = await checkSealedKeys(world.database.db, new Keyring('x'.repeat(40)))
    expect(wrong.unreadable).toContain(`${school.subdomain}/${kid}`)
    const other = await world.aSchool({ signing: 'none' })
    await other.db
      .insert('signing_keys', { ...row, public_jwk: JSON.stringify(row.public_jwk) })
      .execute()
    expect((await checkSealedKeys(world.database.db, keyring)).unreadable).toContain(
      `${other.subdomain}/${kid}`,
    )
  })

  test('every change of a key leaves an audit entry', async () => {
    const school = await world.aSchool({ signing: 'active' })
    const [old] = await listKeys(school.db)
    const { kid } = await publish(school)
    await activate(school, kid, true)
    const entries = await school.db
      .from('audit_entries')
      .select(['action', 'subject', 'detail'])
      .orderBy('action')
      .execute()
    const via = 'command_line'
    expect(entries).toEqual([
      { action: 'key.activated', subject: kid, detail: { forced: true, via } },
      { action: 'key.published', subject: kid, detail: { via } },
      {
        ...{ action: 'key.retired', subject: old?.kid },
        detail: { changed: { stage: ['active', 'retired'] }, via },
      },
    ])
  })

  test('schools without a key are listed', async () => {
    const without = await world.aSchool({ signing: 'none' })
    const waiting = await world.aSchool({ signing: 'published' })
    const found = await schoolsWithoutKeys(world.database.db)
    expect(found).toContain(without.subdomain)
    expect(found).not.toContain(waiting.subdomain)
  })
})
