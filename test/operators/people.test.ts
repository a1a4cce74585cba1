import { describe, expect, test } from 'vitest'
import type { AuditedActor, Role } from '../../src/domain/actor/actor.ts'
import { refusalFrom } from '../../src/domain/operation/operation.ts'
import { deletePerson } from '../../src/domain/people/deletion/delete-person.ts'
import { addMember, type NewMember } from '../../src/domain/people/member-roles.ts'
import { rolesAt, schoolsOfPerson } from '../../src/domain/people/membership.ts'
import { findOrCreatePerson } from '../../src/domain/people/person.ts'
import { addPerson, setPersonRoles } from '../../src/domain/people/person-operations.ts'
import { signIn } from '../../src/domain/people/sign-in.ts'
import { hashPassword } from '../../src/foundation/crypto/password.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { verifies } from '../spec/verifies.ts'
import { Visitor } from '../support/browser-like.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const { db } = world.database
const by: AuditedActor = { via: 'admin_area' }
const attackerHash = await hashPassword('a password of the attacker')

const add = (school: TestSchool, fresh: Partial<NewMember> & { email: string }) =>
  school.db.transaction((tx) => addMember(tx, { name: 'New', roles: ['student'], ...fresh }, by))
const setRolesOf = (school: TestSchool, id: string, roles: Role[]) =>
  performByCommandLine(school, setPersonRoles, { id, roles })
const remove = (userId: string, force = false) =>
  db.transaction().execute((tx) => deletePerson(tx, userId, { force }, by))
const refusalOf = (work: Promise<unknown>) => work.then(() => undefined, refusalFrom)
const row = (id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const attempt = (email: string, password: string) =>
  signIn(db, Buffer.alloc(32), { email, password, address: '192.0.2.1', schoolId: 'any' })

describe('taking over the owner of another school', () => {
  verifies(
    ['house.people.school-cannot-write', 'house.people.known-email', 'house.people.one-identity'],
    'fails through every function: an existing account does not change',
    async () => {
      const [home, attackers] = [await world.aSchool(), await world.aSchool()]
      const victim = await world.aMember(home, ['owner'])
      const before = await row(victim.id)
      const spellings = [victim.email, victim.email.toUpperCase(), `  ${victim.email} `]
      for (const email of spellings) {
        const outcome = await add(attackers, {
          email,
          name: 'Mallory',
          passwordHash: attackerHash,
          roles: ['owner'],
        })
        expect(outcome).toBe(victim.id)
      }
      await setRolesOf(attackers, victim.id, ['student', 'owner'])
      const created = { email: victim.email, name: 'Mallory', passwordHash: attackerHash }
      expect(await findOrCreatePerson(db, created)).toEqual({ id: victim.id, isNew: false })
      expect(await row(victim.id)).toEqual(before)
      expect(await attempt(victim.email, 'a password of the attacker')).toEqual({ kind: 'refused' })
      expect(await attempt(victim.email, PASSWORD)).toMatchObject({ kind: 'signed_in' })
      expect(await rolesAt(home.db, victim.id)).toEqual(['owner'])
      expect((await schoolsOfPerson(db, victim.id)).map(({ id }) => id).sort()).toEqual(
        [home.id, attackers.id].sort(),
      )
    },
  )

  verifies(
    'house.people.known-email',
    'neither the outcome nor the audit of the school reveals whether an account existed',
    async () => {
      const [home, curious] = [await world.aSchool(), await world.aSchool()]
      const known = await world.aMember(home)
      const outcomes = [
        await add(curious, { email: known.email }),
        await add(curious, { email: 'fresh@people.test' }),
      ]
      expect(outcomes.map((outcome) => typeof outcome)).toEqual(['string', 'string'])
      const entries = await curious.db
        .from('audit_entries')
        .select(['action', 'outcome', 'detail', 'client_id', 'authorization_id'])
        .execute()
      expect(entries).toHaveLength(2)
      expect(entries[0]).toEqual(entries[1])
    },
  )

  test('roles cannot be set for a person who is not a member of the school', async () => {
    const [home, other] = [await world.aSchool(), await world.aSchool()]
    const member = await world.aMember(home)
    expect(await setRolesOf(other, member.id, ['owner'])).toMatchObject({ kind: 'not_found' })
    expect(await rolesAt(other.db, member.id)).toEqual([])
  })
})

describe('adding a member', () => {
  test('a new email becomes an account that can sign in', async () => {
    const school = await world.aSchool()
    const passwordHash = await hashPassword('chosen by themselves')
    const added = await add(school, { email: 'Newcomer@People.test', passwordHash })
    expect(await attempt('newcomer@people.test', 'chosen by themselves')).toMatchObject({
      kind: 'signed_in',
      person: { id: added, email: 'newcomer@people.test', name: 'New' },
    })
    const made = await db
      .selectFrom('audit_entries')
      .select('school_id')
      .where('action', '=', 'person.created')
      .where('subject', '=', added)
      .execute()
    expect(made).toEqual([{ school_id: null }])
  })

  test('an account without a password cannot sign in', async () => {
    const school = await world.aSchool()
    await add(school, { email: 'silent@people.test' })
    expect(await attempt('silent@people.test', '')).toEqual({ kind: 'refused' })
  })

  test('adds to the roles of a member, also when several requests do it at once', async () => {
    const school = await world.aSchool()
    const person = await world.aPerson()
    const roles: Role[] = ['student', 'admin', 'lecturer']
    await Promise.all(roles.map((role) => add(school, { email: person.email, roles: [role] })))
    expect(await rolesAt(school.db, person.id)).toEqual(['admin', 'lecturer', 'student'])
  })

  test('wrong details are refused by field, and nothing is written', async () => {
    const school = await world.aSchool()
    const count = async () => (await db.selectFrom('users').select('id').execute()).length
    const before = await count()
    const wrong = { email: 'invalid', name: ' ', roles: [] }
    expect(await performByCommandLine(school, addPerson, wrong)).toMatchObject({
      kind: 'invalid',
      problems: [{ pointer: '/email' }, { pointer: '/name' }, { pointer: '/roles' }],
    })
    expect(await count()).toBe(before)
  })
})

describe('roles', () => {
  test('are replaced, with the old ones in the audit; an empty list removes the member', async () => {
    const school = await world.aSchool()
    const member = await world.aMember(school, ['student'])
    expect(outputOf(await setRolesOf(school, member.id, ['lecturer']))).toMatchObject({
      before: ['student'],
    })
    await setRolesOf(school, member.id, [])
    const entries = await school.db.from('audit_entries').select('detail').execute()
    const details = entries.map(({ detail }) => detail)
    expect(details).toHaveLength(2)
    expect(details).toContainEqual({
      before: ['student'],
      after: ['lecturer'],
      via: 'command_line',
    })
    expect(details).toContainEqual({ before: ['lecturer'], after: [], via: 'command_line' })
  })

  test('the last owner stays: of two owners who leave at once, one is refused', async () => {
    const school = await world.aSchool()
    const owners = [await world.aMember(school, ['owner']), await world.aMember(school, ['owner'])]
    const outcomes = await Promise.all(owners.map(({ id }) => setRolesOf(school, id, ['student'])))
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['conflict', 'done'])
  })
})

describe('deleting a person', () => {
  async function aBusyPerson(): Promise<{ person: TestPerson; schools: TestSchool[] }> {
    const schools = [await world.aSchool(), await world.aSchool()]
    const person = await world.aPerson()
    for (const school of schools) await world.aMember(school, ['student'], person)
    return { person, schools }
  }

  verifies(
    'pair.person-deleted.ends-tokens',
    'ends sessions and apps at every school and erases personal data',
    async () => {
      const { person, schools } = await aBusyPerson()
      const pairs = []
      for (const school of schools) {
        const client = await world.aPublicClient(school)
        pairs.push({ school, client, pair: await aPair(world, school, client, person) })
        const visitor = new Visitor(world, school)
        await visitor.signIn(await visitor.get('/sign-in'), person)
      }
      const outcome = await remove(person.id)
      expect(outcome).toMatchObject({ schools: 2, authorizations: 2 })
      for (const { school, client, pair } of pairs) {
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
        expect((await refresh(world, school, client, pair.refresh_token)).statusCode).toBe(400)
        expect(await rolesAt(school.db, person.id)).toEqual([])
      }
      const left = await db
        .selectFrom('browser_sessions')
        .select('id')
        .where('user_id', '=', person.id)
        .execute()
      expect(left).toEqual([])
      const remains = JSON.stringify(await row(person.id))
      for (const word of [person.email, person.name]) expect(remains).not.toContain(word)
      expect(await attempt(person.email, PASSWORD)).toEqual({ kind: 'refused' })
      expect(await refusalOf(remove(person.id))).toMatchObject({ kind: 'not_found' })
    },
  )

  test('keeps orders', async () => {
    const { person, schools } = await aBusyPerson()
    const [school] = schools
    if (school === undefined) throw new Error('no school')
    await school.db
      .insert('orders', {
        id: uuidv7(),
        user_id: person.id,
        number: 'A-1',
        state: 'open',
        total_amount: 1000,
        currency: 'EUR',
      })
      .execute()
    await remove(person.id)
    const orders = await school.db.from('orders').select('user_id').execute()
    expect(orders).toEqual([{ user_id: person.id }])
  })

  test('frees the email for a new account, which is not linked to the old one', async () => {
    const { person, schools } = await aBusyPerson()
    const [school] = schools
    if (school === undefined) throw new Error('no school')
    await remove(person.id)
    const added = await add(school, { email: person.email })
    expect(added).not.toBe(person.id)
  })

  test('refuses the last owner of a school unless forced, and names the schools', async () => {
    const school = await world.aSchool()
    const owner = await world.aMember(school, ['owner'])
    expect(await refusalOf(remove(owner.id))).toMatchObject({
      code: 'last_owner',
      detail: expect.stringContaining(school.subdomain),
    })
    expect((await row(owner.id)).deleted_at).toBeNull()
    expect(await remove(owner.id, true)).toMatchObject({ schools: 1 })
  })

  test('is in the audit of the installation and of each school, with the roles that were lost', async () => {
    const { person, schools } = await aBusyPerson()
    await remove(person.id)
    const entries = await db
      .selectFrom('audit_entries')
      .select(['action', 'school_id', 'detail'])
      .where('subject', '=', person.id)
      .execute()
    expect(entries).toHaveLength(3)
    expect(entries).toContainEqual({
      ...{ action: 'person.deleted', school_id: null },
      detail: expect.anything(),
    })
    for (const { id } of schools) {
      expect(entries).toContainEqual({
        ...{ action: 'member.roles_changed', school_id: id },
        detail: expect.objectContaining({ before: ['student'], after: [] }),
      })
    }
  })
})
