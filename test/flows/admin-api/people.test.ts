import { beforeAll, describe, expect, test } from 'vitest'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool
let owner: OperatorClient

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
  owner = await anOperator(world, school)
})

describe('adding people', () => {
  test('adding an owner of another school does not change their account', async () => {
    const elsewhere = await world.aSchool()
    const victim = await world.aMember(elsewhere, ['owner'])
    const before = await personRow(victim.id)
    const answer = await owner.post('/members', {
      email: victim.email.toUpperCase(),
      name: 'Taken Over',
      roles: ['student'],
    })
    expect(answer.statusCode).toBe(201)
    expect(answer.json()).toMatchObject({ object: 'member', id: victim.id, roles: ['student'] })
    expect(await personRow(victim.id)).toEqual(before)
  })

  test('the answer has the same fields for existing and new accounts', async () => {
    const known = await world.aPerson()
    const shapes = []
    for (const email of [known.email, 'unknown@people.test']) {
      const answer = await owner.post('/students', { email, name: 'New Name' })
      expect(answer.statusCode).toBe(201)
      expect(answer.body).not.toContain(known.name)
      shapes.push({ ...answer.json(), id: '', joined_at: '', updated_at: '' })
    }
    expect(shapes[0]).toEqual(shapes[1])
  })

  test('a school cannot write the name, email and password of a person', async () => {
    const student = await world.aMember(school)
    for (const field of ['name', 'email', 'password', 'picture_url']) {
      const answer = await owner.patch(`/members/${student.id}`, { [field]: 'x@y.test' })
      expect(answer.statusCode).toBe(422)
      expect(answer.json().errors).toMatchObject([{ pointer: `/${field}`, code: 'unknown_field' }])
    }
  })

  async function personRow(id: string) {
    return await world.database.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
})

describe('roles', () => {
  test('an admin cannot give or take the owner role, or remove an owner', async () => {
    const admin = await anOperator(world, school, { roles: ['admin'] })
    const attempts = [
      await admin.patch(`/members/${admin.person.id}`, { roles: ['owner', 'admin'] }),
      await admin.patch(`/members/${owner.person.id}`, { roles: ['student'] }),
      await admin.send('DELETE', `/members/${owner.person.id}`),
      await admin.post('/members', { email: 'me@people.test', name: 'Me', roles: ['owner'] }),
    ]
    for (const answer of attempts) {
      expect(answer.statusCode).toBe(403)
      expect(answer.json()).toMatchObject({ code: 'forbidden', reason: 'owners_only' })
    }
  })

  test('the last owner keeps the role', async () => {
    const lonely = await world.aSchool()
    const operator = await anOperator(world, lonely)
    const answer = await operator.patch(`/members/${operator.person.id}`, { roles: ['admin'] })
    expect(answer.statusCode).toBe(409)
    expect(answer.json().reason).toBe('last_owner')
  })

  test('a student who leaves keeps the other roles', async () => {
    const both = await world.aMember(school, ['lecturer', 'student'])
    expect((await owner.send('DELETE', `/students/${both.id}`)).statusCode).toBe(200)
    expect((await owner.get(`/students/${both.id}`)).statusCode).toBe(404)
    expect((await owner.get(`/members/${both.id}`)).json().roles).toEqual(['lecturer'])
  })

  test('a member who left is not found, and their tokens stop working', async () => {
    const member = await world.aMember(school)
    expect((await owner.send('DELETE', `/members/${member.id}`)).statusCode).toBe(200)
    expect((await owner.get(`/members/${member.id}`)).statusCode).toBe(404)
    const again = await owner.send('DELETE', `/members/${member.id}`)
    expect(again.statusCode).toBe(404)
  })
})

describe('finding people', () => {
  test('by email in any case, and by part of the name, with wildcards as plain characters', async () => {
    const person = await world.aMember(school)
    const byEmail = await owner.get(`/students?email=${person.email.toUpperCase()}`)
    expect(byEmail.json().data).toMatchObject([{ id: person.id, email: person.email }])
    const byName = await owner.get(`/students?search=${person.name.slice(7)}`)
    expect(byName.json().data).toMatchObject([{ id: person.id }])
    expect((await owner.get('/students?search=%25')).json().data).toEqual([])
  })
})
