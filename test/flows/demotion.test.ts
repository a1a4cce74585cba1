import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deletePerson } from '../../src/domain/people/deletion/delete-person.ts'
import { memberKind } from '../../src/domain/people/people-bulk.ts'
import { setPersonRoles } from '../../src/domain/people/person-operations.ts'
import { verifies } from '../spec/verifies.ts'
import { AdminBrowser } from '../support/admin-browser.ts'
import { importInto } from '../support/bulk.ts'
import { aPair, exchange, type Pair, refresh, userinfo } from '../support/client-like.ts'
import {
  aCode,
  anOperatorPair,
  auditOf,
  CLAUDE,
  isLive,
  setRoles as setRolesOnly,
} from '../support/oauth-world.ts'
import { signedIn } from '../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { sharedWorld, type TestPerson } from '../support/world.ts'

/** What a person authorized as owner or admin ends with that role. */
const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const owner = await world.aMember(school, ['owner'])

const setRoles = async ({ id }: TestPerson, ...roles: ('admin' | 'owner' | 'student')[]) =>
  outputOf(await performByCommandLine(school, setPersonRoles, { id, roles }))

const memberPair = (person: TestPerson) => aPair(world, school, client, person)

async function expectEnded(pair: Pair): Promise<void> {
  expect(await isLive(world, pair)).toBe(false)
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
  const answer = await refresh(world, school, CLAUDE, pair.refresh_token)
  expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
}

type Way = (person: TestPerson) => Promise<unknown>

const ways: Readonly<Record<string, Way>> = {
  'the admin area': async ({ id }) => {
    const browser = new AdminBrowser(await signedIn(world, school, owner))
    await browser.done(`/admin/members/${id}/edit`, { roles: ['student'] })
  },
  'an import': async ({ id }) => {
    const done = await importInto(school, memberKind, [{ id, roles: ['student'] }])
    expect(done).toMatchObject({ updated: 1 })
  },
  'the command line': (person) => setRoles(person, 'student'),
}

describe('a person who is no longer owner or admin', () => {
  for (const [way, demote] of Object.entries(ways)) {
    verifies(
      ['client.operator.demotion', 'house.audit.events'],
      `by ${way} loses every operator authorization for good, and keeps the others`,
      async () => {
        const person = await world.aMember(school, ['admin', 'student'])
        const bystander = await anOperatorPair(world, school, owner)
        const pairs = [
          await anOperatorPair(world, school, person),
          await anOperatorPair(world, school, person),
        ]
        const own = await memberPair(person)
        const rows = await auditOf(school, () => demote(person))
        for (const pair of pairs) await expectEnded(pair)
        const ended = rows.filter(({ action }) => action === 'authorization.ended')
        expect(ended).toHaveLength(2)
        expect(new Set(ended.map(({ authorization_id }) => authorization_id)).size).toBe(2)
        for (const entry of ended) {
          expect(entry).toMatchObject({
            client_id: CLAUDE.clientId,
            detail: { by: 'demotion', via: expect.any(String) },
          })
        }
        expect((await userinfo(world, school, own.access_token)).statusCode).toBe(200)
        expect(await isLive(world, bystander)).toBe(true)

        await setRoles(person, 'owner', 'admin')
        for (const pair of pairs) await expectEnded(pair)
        expect((await refresh(world, school, client, own.refresh_token)).statusCode).toBe(200)
        const fresh = await anOperatorPair(world, school, person)
        expect((await userinfo(world, school, fresh.access_token)).statusCode).toBe(200)
      },
    )
  }

  verifies(
    'client.operator.demotion',
    'by leaving the school, or by deletion, loses them too',
    async () => {
      const leaving = await world.aMember(school, ['admin'])
      const deleted = await world.aMember(school, ['admin'])
      const pairs = [
        await anOperatorPair(world, school, leaving),
        await anOperatorPair(world, school, deleted),
      ]
      const own = await memberPair(deleted)
      const browser = new AdminBrowser(await signedIn(world, school, owner))
      await browser.done(`/admin/members/${leaving.id}/remove`)
      const rows = await auditOf(school, async () => {
        const done = await world.database.db
          .transaction()
          .execute((tx) => deletePerson(tx, deleted.id, { force: false }, { via: 'command_line' }))
        expect(done).toMatchObject({ schools: 1, authorizations: 2 })
      })
      expect(rows.map(({ action }) => action)).toEqual([
        'authorization.ended',
        'member.roles_changed',
      ])
      expect(await isLive(world, own)).toBe(false)
      for (const pair of pairs) await expectEnded(pair)
      await setRoles(leaving, 'admin')
      for (const pair of pairs) await expectEnded(pair)
    },
  )

  verifies(
    'client.operator.demotion',
    'cannot use a code from before: with the role back, its exchange is invalid_grant',
    async () => {
      const person = await world.aMember(school, ['admin', 'student'])
      const { code, pkce } = await aCode(world, school, CLAUDE, person, { scope: 'school:read' })
      const own = await aCode(world, school, client, person)
      await setRoles(person, 'student')
      await setRoles(person, 'admin', 'student')
      const answer = await exchange(world, school, CLAUDE, code, pkce.verifier)
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
      const member = await exchange(world, school, client, own.code, own.pkce.verifier)
      expect(member.statusCode).toBe(200)
    },
  )

  verifies(
    'client.operator.demotion',
    'keeps no pair of an exchange that runs at the same moment',
    async () => {
      const person = await world.aMember(school, ['admin', 'student'])
      for (let round = 0; round < 5; round++) {
        const codes = await Promise.all(
          Array.from({ length: 4 }, () =>
            aCode(world, school, CLAUDE, person, { scope: 'school:read' }),
          ),
        )
        await Promise.all([
          ...codes.map(({ code, pkce }) => exchange(world, school, CLAUDE, code, pkce.verifier)),
          setRoles(person, 'student'),
        ])
        await setRoles(person, 'admin', 'student')
        const alive = await school.db
          .from('authorizations')
          .select('id')
          .where('user_id', '=', person.id)
          .where('revoked_at', 'is', null)
          .execute()
        expect(alive).toEqual([])
      }
    },
  )
})

test('an owner who becomes an admin, or an admin who becomes an owner, keeps them', async () => {
  const person = await world.aMember(school, ['owner'])
  const pair = await anOperatorPair(world, school, person)
  const rows = await auditOf(school, async () => {
    await setRoles(person, 'admin', 'student')
    await setRoles(person, 'owner')
  })
  expect(rows.map(({ action }) => action)).toEqual(['member.roles_changed', 'member.roles_changed'])
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
})

test('a role lost at one school ends nothing at another', async () => {
  const other = await world.aSchool()
  const person = await world.aMember(school, ['admin', 'student'])
  await other.db.insert('school_members', { user_id: person.id, roles: ['admin'] }).execute()
  const elsewhere = await anOperatorPair(world, other, person)
  await setRoles(person, 'student')
  expect((await userinfo(world, other, elsewhere.access_token)).statusCode).toBe(200)
})

test('the migration ends the authorizations of people who lost the role before it', async () => {
  const lost = await world.aMember(school, ['admin', 'student'])
  const kept = await world.aMember(school, ['admin'])
  const pairs = [
    await anOperatorPair(world, school, lost),
    await memberPair(lost),
    await anOperatorPair(world, school, kept),
  ]
  await setRolesOnly(school, lost, ['student'])
  const folder = new URL('../../migrations/', import.meta.url)
  const file = readdirSync(folder).find((name) => name.endsWith('-end-lost-operator-access.sql'))
  await world.database.pool.query(readFileSync(new URL(file ?? '', folder), 'utf8'))
  await setRolesOnly(school, lost, ['admin'])
  const alive = await Promise.all(pairs.map((pair) => isLive(world, pair)))
  expect(alive).toEqual([false, true, true])
})

test('a refused change of roles ends nothing', async () => {
  const alone = await world.aSchool()
  const only = await world.aMember(alone, ['owner'])
  const pair = await anOperatorPair(world, alone, only)
  const outcome = await performByCommandLine(alone, setPersonRoles, {
    id: only.id,
    roles: ['student'],
  })
  expect(outcome).toMatchObject({ kind: 'conflict', code: 'last_owner' })
  expect((await userinfo(world, alone, pair.access_token)).statusCode).toBe(200)
})
