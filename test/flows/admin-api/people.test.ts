import { beforeAll, describe, expect, test } from 'vitest'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'
import { callTool } from '../mcp/tool-endpoint.ts'

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
  test.each(['owner', 'admin'])(
    'a stolen token of an %s makes no owner or admin, and removes none: only people do',
    async (role) => {
      const thief = await anOperator(world, school, { roles: [role] })
      const colleague = await world.aMember(school, ['admin'])
      const attempts = [
        await thief.patch(`/members/${thief.person.id}`, { roles: ['owner', 'admin'] }),
        await thief.patch(`/members/${colleague.id}`, { roles: ['student'] }),
        await thief.send('DELETE', `/members/${colleague.id}`),
        await thief.post('/members', { email: 'me@people.test', name: 'Me', roles: ['admin'] }),
        await thief.post('/members', { email: 'me@people.test', name: 'Me', roles: ['owner'] }),
      ]
      for (const answer of attempts) {
        expect(answer.statusCode).toBe(403)
        expect(answer.json()).toMatchObject({ code: 'forbidden', reason: 'people_only' })
        expect(answer.json().detail).toContain(`${school.origin}/admin/members`)
      }
      const imported = await thief.send('POST', '/members/import', {
        body: `id,roles\n${colleague.id},"[""owner""]"\n${colleague.id},"[""admin"",""lecturer""]"\n`,
        headers: { 'content-type': 'text/csv' },
      })
      expect(imported.json()).toMatchObject({
        updated: 1,
        errors: [{ line: 2, errors: [{ code: 'people_only' }] }],
      })
      // What leaves these roles as they are passes.
      const kept = await thief.patch(`/members/${colleague.id}`, { roles: ['admin', 'student'] })
      expect([kept.statusCode, kept.json().roles]).toEqual([200, ['admin', 'student']])
    },
  )

  test('a tool makes no owner or admin either', async () => {
    const { person, accessToken } = owner
    const given = { action: 'members.change', input: { id: person.id, roles: ['owner', 'admin'] } }
    const answer = await callTool(world, school, 'change_people', given, { token: accessToken })
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain(`${school.origin}/admin/members`)
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
