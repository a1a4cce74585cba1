import { describe, expect, test } from 'vitest'
import type { AuditedActor } from '../../src/domain/actor.ts'
import { findClient } from '../../src/domain/clients/client.ts'
import {
  disableClient,
  enableClient,
  reviewDocumentClient,
} from '../../src/domain/clients/client-standing.ts'
import { listClients } from '../../src/domain/clients/list-clients.ts'
import {
  changeApplication,
  createApplication,
  deleteApplication,
  type NewApplication,
  rotateSecret,
} from '../../src/domain/clients/manage-application.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aCode } from '../support/oauth-world.ts'
import { aWorld, CALLBACK, type TestClient, type TestSchool } from '../support/world.ts'

const world = await aWorld()
const by: AuditedActor = { via: 'command_line' }
const app: NewApplication = {
  name: 'Study Planner',
  redirectUris: [CALLBACK],
  scopes: ['openid', 'account:read'],
  confidential: false,
}

const create = ({ at }: TestSchool, fresh: Partial<NewApplication> = {}) =>
  at.transaction((tx) => createApplication(tx, { ...app, ...fresh }, by))

async function anApplication(
  school: TestSchool,
  fresh: Partial<NewApplication> = {},
): Promise<TestClient> {
  const made = await create(school, fresh)
  if (made.kind !== 'created') throw new Error(JSON.stringify(made))
  return { clientId: made.clientId, secret: made.secret, redirectUri: CALLBACK }
}

const actionsOf = async ({ at }: TestSchool) =>
  (await at.from('audit_entries').select('action').execute()).map((row) => row.action).sort()

describe('making an application', () => {
  verifies('client.public.no-secret', 'a public one has no secret and works', async () => {
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
    'a confidential one gets a secret that is told once and kept as a hash',
    async () => {
      const school = await world.aSchool()
      const client = await anApplication(school, { confidential: true })
      const rows = await school.at.from('clients').selectAll().execute()
      expect(client.secret).toMatch(/^sg_cs_/)
      expect(rows[0]?.secret_hash).toEqual(sha256(client.secret ?? ''))
      const entries = await school.at.from('audit_entries').selectAll().execute()
      expect(JSON.stringify([rows, entries])).not.toContain(client.secret)
      await aPair(world, school, client, await world.aMember(school), {
        scope: 'openid account:read',
      })
    },
  )

  verifies(
    ['client.admin-made.member-scopes-only', 'scope.account.member-only'],
    'operator scopes are refused, one by one and by name',
    async () => {
      const school = await world.aSchool()
      const refused = await create(school, { scopes: ['openid', 'courses:read', 'nonsense'] })
      if (refused.kind !== 'invalid') throw new Error(refused.kind)
      expect(refused.problems.map(({ field, problem }) => [field, problem.split(' ')[0]])).toEqual([
        ['scopes', 'courses:read'],
        ['scopes', 'nonsense'],
      ])
      expect(await listClients(school.at)).toEqual([])
    },
  )

  test('wrong names, ids, redirect URIs and empty lists are refused in words', async () => {
    const school = await world.aSchool()
    const wrong: Partial<NewApplication>[] = [
      { name: '  ' },
      { name: 'two\nlines' },
      { name: 'x'.repeat(201) },
      { clientId: 'https://app.example/client' },
      { clientId: 'a' },
      { redirectUris: [] },
      { redirectUris: ['http://app.example/callback'] },
      { redirectUris: ['https://app.example/*'] },
      { redirectUris: ['com.example.app:/callback'], confidential: true },
      { scopes: [] },
    ]
    for (const fresh of wrong) {
      expect(await create(school, fresh), JSON.stringify(fresh)).toMatchObject({ kind: 'invalid' })
    }
    expect(await listClients(school.at)).toEqual([])
  })

  verifies(
    'client.keyed-by-school',
    'an id is taken at one school and free at another',
    async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      await anApplication(school, { clientId: 'planner' })
      expect(await create(school, { clientId: 'planner' })).toEqual({ kind: 'taken' })
      expect(await create(other, { clientId: 'planner' })).toMatchObject({ kind: 'created' })
    },
  )

  test('nobody becomes a vendor platform by taking its id', async () => {
    const school = await world.aSchool()
    expect(await create(school, { clientId: 'claude' })).toEqual({ kind: 'taken' })
    expect(await create(school, { clientId: 'ChatGPT' })).toEqual({ kind: 'taken' })
  })
})

describe('changing an application', () => {
  test('takes what is given, judged like at its making', async () => {
    const school = await world.aSchool()
    const { clientId } = await anApplication(school, { confidential: true })
    const change = (changes: Parameters<typeof changeApplication>[2]) =>
      school.at.transaction((tx) => changeApplication(tx, clientId, changes, by))
    expect(await change({ redirectUris: ['com.example.app:/x'] })).toMatchObject({
      kind: 'invalid',
    })
    expect(await change({ scopes: ['orders:read'] })).toMatchObject({ kind: 'invalid' })
    expect(await change({ name: 'Planner' })).toEqual({ kind: 'changed' })
    expect(await findClient(school.at, clientId)).toMatchObject({
      name: 'Planner',
      redirectUris: [CALLBACK],
    })
  })

  test('of another school is unknown', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const { clientId } = await anApplication(school, { confidential: true })
    for (const act of [
      () => other.at.transaction((tx) => changeApplication(tx, clientId, { name: 'x' }, by)),
      () => other.at.transaction((tx) => rotateSecret(tx, clientId, by)),
      () => other.at.transaction((tx) => deleteApplication(tx, clientId, by)),
      () => other.at.transaction((tx) => disableClient(tx, clientId, by)),
    ]) {
      expect(await act()).toEqual({ kind: 'unknown' })
    }
    expect(await findClient(school.at, clientId)).toMatchObject({ name: app.name, disabled: false })
  })

  test('a new secret works at once, and the old one no more', async () => {
    const school = await world.aSchool()
    const client = await anApplication(school, { confidential: true })
    const pair = await aPair(world, school, client, await world.aMember(school), {
      scope: 'openid account:read',
    })
    const rotated = await school.at.transaction((tx) => rotateSecret(tx, client.clientId, by))
    if (rotated.kind !== 'rotated') throw new Error(rotated.kind)
    expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(401)
    const renewed = { ...client, secret: rotated.secret }
    expect((await refresh(world, school, renewed, pair.refresh_token)).statusCode).toBe(200)
    const publicOne = await anApplication(school)
    expect(await school.at.transaction((tx) => rotateSecret(tx, publicOne.clientId, by))).toEqual({
      kind: 'public',
    })
  })
})

describe('deleting an application', () => {
  verifies(
    'client.deleted.ends-tokens',
    'ends what people gave it, there and nowhere else, and says how many they were',
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
      const remove = () => school.at.transaction((tx) => deleteApplication(tx, client.clientId, by))
      expect(await remove()).toEqual({ kind: 'deleted', people: 2 })
      for (const pair of pairs) {
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(401)
      }
      expect((await userinfo(world, school, other.access_token)).statusCode).toBe(200)
      expect(await remove()).toEqual({ kind: 'unknown' })
      expect(await create(school, { clientId: client.clientId })).toEqual({ kind: 'taken' })
      expect(await actionsOf(school)).toContain('client.deleted')
    },
  )
})

describe('switching an application off', () => {
  test('takes back codes on their way: none works once it is switched on again', async () => {
    const school = await world.aSchool()
    const client = await anApplication(school)
    const ada = await world.aMember(school)
    const { code, pkce } = await aCode(world, school, client, ada, { scope: 'openid account:read' })
    await school.at.transaction((tx) => disableClient(tx, client.clientId, by))
    await school.at.transaction((tx) => enableClient(tx, client.clientId, by))
    const refused = await exchange(world, school, client, code, pkce.verifier)
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'invalid_grant'])
  })
})

describe('installation-wide clients', () => {
  verifies(
    ['client.disable.per-school', 'client.installation-wide.local-row'],
    'are switched off and reviewed at one school, and stay as they are at the others',
    async () => {
      const [school, other] = [await world.aSchool(), await world.aSchool()]
      expect(await school.at.transaction((tx) => disableClient(tx, 'cursor', by))).toEqual({
        kind: 'changed',
      })
      expect(await findClient(school.at, 'cursor')).toMatchObject({
        disabled: true,
        kind: 'vendor',
      })
      expect(await findClient(other.at, 'cursor')).toBeUndefined()
      expect(await school.at.transaction((tx) => enableClient(tx, 'cursor', by))).toEqual({
        kind: 'changed',
      })
      expect(await school.at.transaction((tx) => enableClient(tx, 'cursor', by))).toEqual({
        kind: 'unchanged',
      })

      const url = 'https://tool.example/client.json'
      for (const { at } of [school, other]) {
        await at
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
      const review = (id: string) => school.at.transaction((tx) => reviewDocumentClient(tx, id, by))
      expect(await review('cursor')).toEqual({ kind: 'no_document' })
      expect(await review(url)).toEqual({ kind: 'changed' })
      expect(await review(url)).toEqual({ kind: 'unchanged' })
      const reviewed = await findClient(school.at, url)
      expect(reviewed?.reviewed).toBe(true)
      expect(reviewed?.scopes.has('courses:write')).toBe(true)
      expect(reviewed?.scopes.has('account:read')).toBe(false)
      expect(await findClient(other.at, url)).toMatchObject({ reviewed: false })
      expect(await actionsOf(school)).toEqual([
        'client.changed',
        'client.created',
        'client.disabled',
        'client.reviewed',
      ])
    },
  )
})
