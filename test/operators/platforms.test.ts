import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import {
  addPlatform,
  changePlatform,
  switchPlatform,
} from '../../src/domain/clients/change-platforms.ts'
import { enableClient } from '../../src/domain/clients/client-operations.ts'
import { EXPLORER_CLIENT_ID } from '../../src/domain/clients/explorer-client.ts'
import {
  admitVendorPlatform,
  fillPlatforms,
  listPlatforms,
  SHIPPED_PLATFORMS,
  type ShippedPlatforms,
} from '../../src/domain/clients/vendor-platforms.ts'
import { refusalFrom } from '../../src/domain/operation/operation.ts'
import { redirectUriProblems } from '../../src/foundation/protocol/redirect-uri.ts'
import { verifies } from '../spec/verifies.ts'
import { ask, expectPage, type Setup } from '../support/authorization.ts'
import { aPair, exchange, postForm, refresh, userinfo } from '../support/client-like.ts'
import { aCode, CLAUDE } from '../support/oauth-world.ts'
import { performByCommandLine } from '../support/performing.ts'
import { whileRowHeld } from '../support/row-lock.ts'
import { aWorld, CALLBACK, type World } from '../support/world.ts'

const world = await aWorld()
const { db } = world.database
const BY = { via: 'command_line' } as const
const READ = { scope: 'openid courses:read' }
const WINDSURF = {
  client_id: 'windsurf',
  name: 'Windsurf',
  redirect_uris: ['windsurf://codeium.windsurf/oauth', CALLBACK],
}

const rows = (at: World = world) =>
  at.database.db.selectFrom('vendor_platforms').selectAll().orderBy('client_id').execute()
// Migrations know the first list; the start of a server brings it up to date.
await fillPlatforms(db)
const shipped = await rows()

/** Every test begins with the platforms of a new installation. */
afterEach(async () => {
  await db.deleteFrom('vendor_platforms').execute()
  await db.insertInto('vendor_platforms').values(shipped).execute()
  await db.updateTable('clients').set({ platform_disabled_at: null }).execute()
})

const refusalOf = async (work: Promise<unknown>) =>
  refusalFrom(
    await work.then(
      () => 'it was done',
      (error: unknown) => error,
    ),
  )

const register = async (name: string) => {
  const school = await world.aSchool()
  return await postForm(world, school, '/api/oauth/register', { client_name: name })
}

const later: ShippedPlatforms = {
  version: SHIPPED_PLATFORMS.version + 1,
  platforms: [
    ...SHIPPED_PLATFORMS.platforms.map((platform) => ({
      ...platform,
      redirectUris: [...platform.redirectUris, 'https://later.example/callback'],
    })),
    { clientId: 'windsurf', clientName: 'Windsurf', redirectUris: WINDSURF.redirect_uris },
  ],
}

describe('the shipped list', () => {
  test('has redirect URIs that every platform may register, one of them on loopback', () => {
    for (const { clientName, redirectUris } of SHIPPED_PLATFORMS.platforms) {
      const problems = redirectUris.flatMap((uri) =>
        redirectUriProblems(uri, { confidential: false }),
      )
      expect(problems, clientName).toEqual([])
      expect(redirectUris, clientName).toContain(CALLBACK)
    }
  })

  test('gets a higher version with every change', () => {
    const text = JSON.stringify(SHIPPED_PLATFORMS.platforms)
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
    // After a change, raise the version in vendor-platforms.ts and write both here.
    expect({ version: SHIPPED_PLATFORMS.version, digest }).toEqual({
      version: 2,
      digest: '94af4508758e47f4',
    })
  })

  verifies(
    'platform.list.fills-missing',
    'equals the rows of a new installation, so that filling it writes nothing',
    async () => {
      expect(await fillPlatforms(db)).toEqual([])
      expect(await rows()).toEqual(shipped)
      const ids = SHIPPED_PLATFORMS.platforms.map(({ clientId }) => clientId).sort()
      expect(shipped.map(({ client_id }) => client_id)).toEqual(ids)
      expect(await listPlatforms(db)).toMatchObject(ids.map(() => ({ source: 'shipped' })))
    },
  )

  verifies(
    'platform.list.fills-missing',
    'adds what is missing and brings rows of an older list up to date; an older list changes nothing',
    async () => {
      await db.deleteFrom('vendor_platforms').where('client_id', '=', 'cursor').execute()
      expect((await register('Cursor')).statusCode).toBe(400)
      expect(await fillPlatforms(db)).toEqual(['cursor'])
      expect((await register('Cursor')).statusCode).toBe(201)
      expect([...(await fillPlatforms(db, later))].sort()).toEqual(
        later.platforms.map(({ clientId }) => clientId).sort(),
      )
      const updated = await rows()
      expect(updated).toMatchObject(updated.map(() => ({ shipped_version: later.version })))
      expect((await register('Windsurf')).json().client_id).toBe('windsurf')
      expect(await fillPlatforms(db)).toEqual([])
      expect(await rows()).toEqual(updated)
    },
  )

  verifies(
    'platform.list.keeps-changes',
    'leaves what the administrator changed, disabled or added; one that is enabled again follows the list',
    async () => {
      await changePlatform(db, 'claude', { redirect_uris: [CALLBACK] }, BY)
      await switchPlatform(db, 'chatgpt', 'off', BY)
      await switchPlatform(db, 'cursor', 'off', BY)
      await switchPlatform(db, 'cursor', 'on', BY)
      await addPlatform(db, { ...WINDSURF, client_id: 'our-windsurf' }, BY)
      const before = await rows()
      expect(await fillPlatforms(db, later)).toEqual(['cursor', 'visual-studio-code'])
      const untouched = (list: typeof before) =>
        list.filter(({ client_id }) => !['cursor', 'visual-studio-code'].includes(client_id))
      expect(untouched(await rows())).toEqual(untouched(before))
      expect((await listPlatforms(db)).map(({ clientId, source }) => [clientId, source])).toEqual([
        ['chatgpt', 'shipped'],
        ['claude', 'changed'],
        ['cursor', 'shipped'],
        ['visual-studio-code', 'shipped'],
        ['our-windsurf', 'added'],
      ])
    },
  )

  test('does not take the id of an application that a school has', async () => {
    const school = await world.aSchool()
    const { clientId } = await world.aPublicClient(school)
    await school.db
      .update('clients')
      .set({ client_id: 'Windsurf' })
      .where('client_id', '=', clientId)
      .execute()
    expect(await fillPlatforms(db, later)).not.toContain('windsurf')
    expect(await refusalOf(addPlatform(db, WINDSURF, BY))).toMatchObject({ kind: 'invalid' })
    await school.db.delete('clients').execute()
  })

  verifies(
    'platform.list.fills-missing',
    'is filled once by ten processes that start at the same moment',
    async () => {
      await db.deleteFrom('vendor_platforms').execute()
      const written = await Promise.all(Array.from({ length: 10 }, () => fillPlatforms(db, later)))
      expect(written.flat().sort()).toEqual(later.platforms.map(({ clientId }) => clientId).sort())
    },
  )
})

describe('what the administrator changes', () => {
  verifies(
    'platform.commands',
    'an added platform registers, is authorized and refused after a correction of its redirect URIs',
    async () => {
      await addPlatform(db, WINDSURF, BY)
      expect((await register('Windsurf')).json()).toMatchObject({ client_id: 'windsurf' })
      const school = await world.aSchool()
      const person = await world.aMember(school, ['owner'])
      const client = { clientId: 'windsurf', secret: undefined, redirectUri: CALLBACK }
      await aPair(world, school, client, person, READ)
      const moved = 'https://windsurf.example/callback'
      await changePlatform(db, 'windsurf', { redirect_uris: [moved] }, BY)
      const setup: Setup = { world, school, person, client }
      expectPage(await ask(setup, READ), 400)
      const later = { ...client, redirectUri: moved }
      expect((await ask({ ...setup, client: later }, READ)).statusCode).toBe(303)
      await changePlatform(db, 'windsurf', { name: 'Windsurf 2' }, BY)
      expect((await register('Windsurf')).statusCode).toBe(400)
      expect((await register('Windsurf 2')).statusCode).toBe(201)
      const audited = await db
        .selectFrom('audit_entries')
        .select(['action', 'detail'])
        .where('client_id', '=', 'windsurf')
        .where('school_id', 'is', null)
        .orderBy('id')
        .execute()
      expect(audited).toMatchObject([
        { action: 'client.created' },
        {
          action: 'client.changed',
          detail: { changed: { redirect_uris: [WINDSURF.redirect_uris, [moved]] } },
        },
        { action: 'client.changed', detail: { changed: { name: ['Windsurf', 'Windsurf 2'] } } },
      ])
    },
  )

  verifies(
    'platform.commands',
    'wrong values are refused at their field, and change nothing',
    async () => {
      const before = await rows()
      const uri = (redirect_uri: string) => ({ redirect_uris: [redirect_uri] })
      for (const [field, fresh] of [
        ['/client_id', { client_id: 'https://windsurf.example/client.json' }],
        ['/client_id', { client_id: 'a b' }],
        ['/client_id', { client_id: 'claude' }],
        ['/client_id', { client_id: 'Claude' }],
        ['/client_id', { client_id: EXPLORER_CLIENT_ID }],
        ['/name', { name: 'Claude' }],
        ['/name', { name: ' Claude ' }],
        ['/name', { name: 'claude' }],
        ['/name', { name: 'VISUAL STUDIO CODE' }],
        ['/name', { name: '' }],
        ['/name', { name: 'a\u202eb' }],
        ['/name', { name: 'Cl\u200baude' }],
        ['/name', { name: 'two\nlines' }],
        ['/redirect_uris', { redirect_uris: [] }],
        ['/redirect_uris', uri('http://windsurf.example/callback')],
        ['/redirect_uris', uri('https://windsurf.example/*')],
        ['/redirect_uris', uri('windsurfer://x')],
      ] as const) {
        const refused = await refusalOf(addPlatform(db, { ...WINDSURF, ...fresh }, BY))
        expect(refused, JSON.stringify(fresh)).toMatchObject({
          kind: 'invalid',
          problems: [{ pointer: field }],
        })
      }
      const change = (changes: object) => refusalOf(changePlatform(db, 'cursor', changes, BY))
      for (const name of ['Claude', 'CLAUDE', 'Cursor\u2066']) {
        expect(await change({ name }), name).toMatchObject({
          kind: 'invalid',
          problems: [{ pointer: '/name' }],
        })
      }
      expect(await change(uri('javascript:alert(1)'))).toMatchObject({ kind: 'invalid' })
      const unknown = [
        await refusalOf(changePlatform(db, 'nothing', { name: 'x' }, BY)),
        await refusalOf(switchPlatform(db, 'nothing', 'off', BY)),
      ]
      for (const refused of unknown) {
        expect(refused).toEqual({
          kind: 'not_found',
          detail: 'There is no platform nothing. `schoolgate platform list` shows all.',
        })
      }
      expect(await rows()).toEqual(before)
      // A platform may change the letter case of its own name.
      await changePlatform(db, 'cursor', { name: 'CURSOR' }, BY)
    },
  )

  verifies(
    'platform.disabled.everywhere',
    'a disabled platform is refused at registration, authorization, exchange, refresh and use, until it is enabled',
    async () => {
      const stages = await Promise.all([world.aSchool(), world.aSchool()])
      const setups: Setup[] = []
      for (const school of stages) {
        const person = await world.aMember(school, ['owner'])
        setups.push({ world, school, person, client: CLAUDE })
      }
      const pairs = []
      for (const { school, person } of setups) {
        pairs.push(await aPair(world, school, CLAUDE, person, READ))
      }
      const [first] = setups
      if (first === undefined) throw new Error('no school')
      const { code, pkce } = await aCode(world, first.school, CLAUDE, first.person, READ)

      expect(await switchPlatform(db, 'claude', 'off', BY)).toBe(true)
      expect(await switchPlatform(db, 'claude', 'off', BY)).toBe(false)
      expect((await register('Claude')).json().error).toBe('invalid_client_metadata')
      for (const [index, setup] of setups.entries()) {
        const { school } = setup
        const pair = pairs[index]
        expectPage(await ask(setup, READ), 400)
        expect((await userinfo(world, school, pair?.access_token)).statusCode).toBe(401)
        const refused = await refresh(world, school, CLAUDE, pair?.refresh_token ?? '')
        expect(refused.statusCode).toBe(401)
        const audit = await school.db.from('audit_entries').select('action').execute()
        expect(audit.map(({ action }) => action)).toContain('client.disabled')
      }
      const fresh = await world.aSchool()
      const owner = await world.aMember(fresh, ['owner'])
      expectPage(await ask({ world, school: fresh, person: owner, client: CLAUDE }, READ), 400)
      const atSchool = await performByCommandLine(first.school, enableClient, {
        client_id: 'claude',
      })
      expect(atSchool).toMatchObject({ kind: 'conflict', code: 'platform_disabled' })

      expect(await switchPlatform(db, 'claude', 'on', BY)).toBe(true)
      expect((await register('Claude')).statusCode).toBe(201)
      for (const [index, { school }] of setups.entries()) {
        const answer = await refresh(world, school, CLAUDE, pairs[index]?.refresh_token ?? '')
        expect(answer.statusCode).toBe(200)
      }
      const late = await exchange(world, first.school, CLAUDE, code, pkce.verifier)
      expect(late.json().error).toBe('invalid_grant')
    },
  )

  verifies(
    'platform.disabled.everywhere',
    'a consent at the moment of the switch makes a row that is switched off',
    async () => {
      const school = await world.aSchool()
      const lock = 'update vendor_platforms set disabled_at = now() where client_id = $1'
      await whileRowHeld(
        world.database.connection,
        { lock, id: 'claude' },
        () => admitVendorPlatform(school.db, 'claude', BY),
        async (waiting, holder) => {
          await waiting(1)
          await holder.query('commit')
        },
      )
      const row = await school.db.from('clients').select('platform_disabled_at').executeTakeFirst()
      expect(row?.platform_disabled_at).toBeInstanceOf(Date)
    },
  )
})
