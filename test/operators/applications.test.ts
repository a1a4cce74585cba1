import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  changeApplication,
  createApplication,
  deleteApplication,
  endOldSecret,
  rotateSecret,
} from '../../src/domain/clients/application-operations.ts'
import { findClient } from '../../src/domain/clients/client.ts'
import {
  disableClient,
  enableClient,
  endClientAccess,
  reviewClient,
  withdrawReview,
} from '../../src/domain/clients/client-operations.ts'
import { listClients } from '../../src/domain/clients/list-clients.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aCode } from '../support/oauth-world.ts'
import { outputOf, performByCommandLine as perform } from '../support/performing.ts'
import { CALLBACK, sharedWorld, type TestClient, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()

type NewApplication = z.input<typeof createApplication.input>
const app: NewApplication = {
  name: 'Study Planner',
  redirect_uris: [CALLBACK],
  scopes: ['openid', 'account:read'],
  confidential: false,
}

const create = (school: TestSchool, fresh: Partial<NewApplication> = {}) =>
  perform(school, createApplication, { ...app, ...fresh })

async function anApplication(
  school: TestSchool,
  fresh: Partial<NewApplication> = {},
): Promise<TestClient> {
  const { client_id: clientId, client_secret } = outputOf(await create(school, fresh))
  return { clientId, secret: client_secret ?? undefined, redirectUri: CALLBACK }
}

const TAKEN = { kind: 'conflict', code: 'taken' }

const actionsOf = async ({ db }: TestSchool) =>
  (await db.from('audit_entries').select('action').execute()).map((row) => row.action).sort()

describe('creating an application', () => {
  verifies('client.public.no-secret', 'a public application has no secret and works', async () => {
    const school = await world.aSchool()
    const client = await anApplication(school)
    expect(client.secret).toBeUndefined()
    const pair = await aPair(world, school, client, await world.aMember(school), {
      scope: 'openid account:read',
    })
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect(await actionsOf(school)).toContain('client.created')
  })

  verifies(
    ['client.confidential.secret-issued', 'client.secret.hashed'],
    'a confidential application gets a secret that is shown once and stored as a hash',
    async () => {
      const school = await world.aSchool()
      const client = await anApplication(school, { confidential: true })
      const rows = await school.db.from('clients').selectAll().execute()
      expect(client.secret).toMatch(/^sg_cs_/)
      expect(rows[0]?.secret_hash).toEqual(sha256(client.secret ?? ''))
      const entries = await school.db.from('audit_entries').selectAll().execute()
      expect(JSON.stringify([rows, entries])).not.toContain(client.secret)
      await aPair(world, school, client, await world.aMember(school), {
        scope: 'openid account:read',
      })
    },
  )

  verifies(
    ['client.admin-made.member-scopes-only', 'scope.account.member-only'],
    'operator scopes and unknown scopes are refused, each with its name',
    async () => {
      const school = await world.aSchool()
      const refused = await create(school, { scopes: ['openid', 'courses:read', 'nonsense'] })
      if (refused.kind !== 'invalid') throw new Error(refused.kind)
      expect(
        refused.problems.map(({ pointer, detail }) => [pointer, detail.split(' ')[0]]),
      ).toEqual([
        ['/scopes', 'courses:read'],
        ['/scopes', 'nonsense'],
      ])
      expect(await listClients(school.db)).toEqual([])
    },
  )

  test('wrong names, ids, redirect URIs and empty lists are refused', async () => {
    const school = await world.aSchool()
    const wrong: Partial<NewApplication>[] = [
      { name: '  ' },
      { name: 'two\nlines' },
      { name: 'x'.repeat(201) },
      { client_id: 'https://app.example/client' },
      { client_id: 'a' },
      { redirect_uris: [] },
      { redirect_uris: ['http://app.example/callback'] },
      { redirect_uris: ['https://app.example/*'] },
      { redirect_uris: ['com.example.app:/callback'], confidential: true },
      { scopes: [] },
    ]
    for (const fresh of wrong) {
      expect(await create(school, fresh), JSON.stringify(fresh)).toMatchObject({ kind: 'invalid' })
    }
    expect(await listClients(school.db)).toEqual([])
  })

  verifies(
    'client.keyed-by-school',
    'a client id that one school uses is free at another school',
    async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      await anApplication(school, { client_id: 'planner' })
      expect(await create(school, { client_id: 'planner' })).toMatchObject(TAKEN)
      expect(await create(other, { client_id: 'planner' })).toMatchObject({ kind: 'done' })
    },
  )

  test('an application cannot take the id of a vendor platform', async () => {
    const school = await world.aSchool()
    expect(await create(school, { client_id: 'claude' })).toMatchObject(TAKEN)
    expect(await create(school, { client_id: 'ChatGPT' })).toMatchObject(TAKEN)
  })
})

describe('changing an application', () => {
  test('writes the given fields, with the checks of a new application', async () => {
    const school = await world.aSchool()
    const { clientId } = await anApplication(school, { confidential: true })
    const change = (changes: Omit<z.input<typeof changeApplication.input>, 'client_id'>) =>
      perform(school, changeApplication, { client_id: clientId, ...changes })
    expect(await change({ redirect_uris: ['com.example.app:/x'] })).toMatchObject({
      kind: 'invalid',
    })
    expect(await change({ scopes: ['orders:read'] })).toMatchObject({ kind: 'invalid' })
    expect(await change({ name: ' Planner ' })).toMatchObject({
      kind: 'done',
      output: { client_id: clientId, changed: { name: 'Planner' } },
    })
    expect(await findClient(school.db, clientId)).toMatchObject({
      name: 'Planner',
      redirectUris: [CALLBACK],
    })
  })

  test('of another school is not found', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const { clientId } = await anApplication(school, { confidential: true })
    const operations = [
      ...[changeApplication, rotateSecret, endOldSecret, deleteApplication, disableClient],
      ...[endClientAccess, withdrawReview],
    ]
    for (const operation of operations) {
      const outcome = await perform(other, operation as typeof disableClient, {
        client_id: clientId,
      })
      expect(outcome).toMatchObject({ kind: 'not_found' })
    }
    expect(await findClient(school.db, clientId)).toMatchObject({ name: app.name, disabled: false })
  })

  test('that is public has no secret to renew or to end', async () => {
    const school = await world.aSchool()
    const { clientId: client_id } = await anApplication(school)
    for (const operation of [rotateSecret, endOldSecret]) {
      const outcome = await perform(school, operation as typeof endOldSecret, { client_id })
      expect(outcome).toMatchObject({ kind: 'conflict', code: 'public' })
    }
  })
})

describe('deleting an application', () => {
  verifies(
    'client.deleted.ends-tokens',
    'ends its authorizations at this school only, and reports how many there were',
    async () => {
      const school = await world.aSchool()
      const scope = 'openid account:read'
      const [client, kept] = [await anApplication(school), await anApplication(school)]
      const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
      const pairs = [
        await aPair(world, school, client, ada, { scope }),
        await aPair(world, school, client, ada, { scope }),
        await aPair(world, school, client, ben, { scope }),
      ]
      const other = await aPair(world, school, kept, ada, { scope })
      const remove = () => perform(school, deleteApplication, { client_id: client.clientId })
      expect(outputOf(await remove())).toMatchObject({ people: 2 })
      for (const pair of pairs) {
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(401)
      }
      expect((await userinfo(world, school, other.access_token)).statusCode).toBe(200)
      expect(await remove()).toMatchObject({ kind: 'not_found' })
      expect(await create(school, { client_id: client.clientId })).toMatchObject(TAKEN)
      expect(await actionsOf(school)).toContain('client.deleted')
    },
  )
})

test('each change of an application leaves one audit entry, with its own action and details', async () => {
  const school = await world.aSchool()
  const { clientId: client_id } = await anApplication(school, { confidential: true })
  await perform(school, changeApplication, { client_id, name: ' Planner ' })
  await perform(school, changeApplication, { client_id })
  await perform(school, rotateSecret, { client_id, end_old: true })
  await perform(school, endOldSecret, { client_id })
  await perform(school, rotateSecret, { client_id })
  await perform(school, endOldSecret, { client_id })
  await perform(school, endClientAccess, { client_id })
  await perform(school, disableClient, { client_id })
  await perform(school, disableClient, { client_id })
  await perform(school, enableClient, { client_id })
  await perform(school, deleteApplication, { client_id })
  const entries = await school.db
    .from('audit_entries')
    .select(['action', 'client_id', 'detail'])
    .execute()
  const via = 'command_line'
  const { name, redirect_uris, scopes } = app
  const expected = [
    [
      'client.created',
      {
        ...{ name, redirect_uris, post_logout_redirect_uris: [] },
        ...{ scopes: [...scopes].sort(), confidential: true, via },
      },
    ],
    ['client.changed', { changed: { name: [name, 'Planner'] }, via }],
    ['client.secret_rotated', { old_secret_expires_at: null, via }],
    ['client.secret_rotated', { old_secret_expires_at: expect.any(String), via }],
    ['client.secret_ended', { via }],
    ['authorization.ended', { by: 'operator', people: 0, via }],
    ['client.disabled', { via }],
    ['client.changed', { disabled: false, via }],
    ['client.deleted', { people: 0, via }],
  ]
  expect(entries).toHaveLength(expected.length)
  for (const [action, detail] of expected) {
    expect(entries).toContainEqual({ action, client_id, detail })
  }
})

describe('switching an application off', () => {
  test('revokes unused codes: none works after the application is switched on again', async () => {
    const school = await world.aSchool()
    const client = await anApplication(school)
    const ada = await world.aMember(school)
    const { code, pkce } = await aCode(world, school, client, ada, { scope: 'openid account:read' })
    await perform(school, disableClient, { client_id: client.clientId })
    await perform(school, enableClient, { client_id: client.clientId })
    const refused = await exchange(world, school, client, code, pkce.verifier)
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_grant'])
  })
})

describe('installation-wide clients', () => {
  verifies(
    ['client.disable.per-school', 'client.installation-wide.local-row'],
    'are switched off and reviewed at one school without a change at the others',
    async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      const cursor = { client_id: 'cursor' }
      expect(outputOf(await perform(school, disableClient, cursor))).toMatchObject({
        changed: true,
      })
      expect(await findClient(school.db, 'cursor')).toMatchObject({
        disabled: true,
        kind: 'vendor',
      })
      expect(await findClient(other.db, 'cursor')).toBeUndefined()
      expect(outputOf(await perform(school, enableClient, cursor))).toMatchObject({ changed: true })
      expect(outputOf(await perform(school, enableClient, cursor))).toMatchObject({
        changed: false,
      })

      const url = 'https://tool.example/client.json'
      for (const { db } of [school, other]) {
        await db
          .insert('clients', {
            client_id: url,
            kind: 'document',
            audience: 'operator',
            name: 'Tool',
            redirect_uris: [CALLBACK],
            scopes: ['courses:read'],
          })
          .execute()
      }
      const review = (client_id: string) => perform(school, reviewClient, { client_id })
      expect(await review('cursor')).toMatchObject({ code: 'no_client_metadata' })
      expect(outputOf(await review(url))).toMatchObject({ changed: true })
      expect(outputOf(await review(url))).toMatchObject({ changed: false })
      const reviewed = await findClient(school.db, url)
      expect(reviewed?.reviewed).toBe(true)
      expect(reviewed?.scopes.has('courses:write')).toBe(true)
      expect(reviewed?.scopes.has('account:read')).toBe(false)
      expect(await findClient(other.db, url)).toMatchObject({ reviewed: false })
      expect(await actionsOf(school)).toEqual([
        'client.changed',
        'client.created',
        'client.disabled',
        'client.reviewed',
      ])
    },
  )
})
