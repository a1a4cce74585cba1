import { beforeAll, describe, expect, test } from 'vitest'
import { record } from '../../../src/domain/audit/audit.ts'
import { changeRoles } from '../../../src/domain/people/member-roles.ts'
import { setPersonPassword } from '../../../src/domain/people/person-operations.ts'
import { hashPassword } from '../../../src/foundation/crypto/password.ts'
import { authorizeAs, type Visitor } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { performByCommandLine } from '../../support/performing.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const PATH = '/account/history'
const world = await sharedWorld()
let school: TestSchool
let elsewhere: TestSchool

beforeAll(async () => {
  school = await world.aSchool({ mcpConnections: true })
  elsewhere = await world.aSchool()
})

/** The lines of the page, the latest first, without sign-ins. */
async function linesOf(visitor: Visitor, path = PATH): Promise<string[]> {
  const page = await visitor.get(path)
  expect(page.statusCode).toBe(200)
  return [...page.body.matchAll(/<p class="row-title">(.*?)<\/p>/gs)]
    .map(([, row = '']) => row.replace(/<[^>]*>/g, '').trim())
    .filter((line) => !line.includes('new browser'))
}

const by = (person: TestPerson) => ({ via: 'admin_area' as const, userId: person.id })

describe('the history of a person', () => {
  test('says what they allowed, denied, ended and changed, in plain words with the names of apps', async () => {
    const ada = await world.aMember(school)
    const planner = await world.aPublicClient(school, { name: 'Study Planner' })
    const quiz = await world.aPublicClient(school, { name: 'Quiz <b>Time</b>' })
    await aPair(world, school, planner, ada)
    await authorizeAs(world, school, quiz, ada, { decision: 'deny' })
    const here = await signedIn(world, school, ada)
    await submit(here, '/account/apps', '/account/apps/end')
    await submit(here, '/account/sessions', '/account/sessions/end-others')
    await submit(here, '/account/password', '/account/password', {
      current_password: PASSWORD,
      new_password: 'a much better password',
    })
    expect(await linesOf(here)).toEqual([
      'You changed your password',
      'You signed out all other browsers',
      'You ended the access of Study Planner',
      'You did not allow Quiz &lt;b>Time&lt;/b>',
      'You allowed Study Planner',
    ])
  })

  test('says what the school and the administrator of this server did to them', async () => {
    const [ada, owner] = [await world.aMember(school), await world.aMember(school, ['owner'])]
    const client = await world.aPublicClient(school, { name: 'Study Planner' })
    await aPair(world, school, client, ada)
    const operator = await signedIn(world, school, owner)
    const page = `/admin/developers/applications/${client.clientId}`
    await submit(operator, page, '/admin/clients/end')
    await school.db.transaction((tx) => changeRoles(tx, ada.id, ['lecturer'], by(owner)))
    await performByCommandLine(school, setPersonPassword, {
      id: ada.id,
      password_hash: await hashPassword(PASSWORD),
    })
    expect(await linesOf(await signedIn(world, school, ada))).toEqual([
      'The administrator of this server set a new password for you',
      'Your roles at this school were changed',
      'This school ended the access of Study Planner',
      'You allowed Study Planner',
    ])
  })

  test('has no note of an operator and names none', async () => {
    const [ada, owner] = [await world.aMember(school), await world.aMember(school, ['owner'])]
    const client = await world.aPublicClient(school, { name: 'Study Planner' })
    await record(school.db, {
      action: 'authorization.ended',
      outcome: 'ok',
      actorUserId: owner.id,
      clientId: client.clientId,
      subject: ada.id,
      detail: { by: 'operator', note: 'a private note' },
    })
    const visitor = await signedIn(world, school, ada)
    expect(await linesOf(visitor)).toEqual(['This school ended the access of Study Planner'])
    const { body } = await visitor.get(PATH)
    expect(body).not.toContain('a private note')
    expect(body).not.toContain(owner.name)
  })

  test('is read in pages by key, and stays in order while entries are added', async () => {
    const ada = await world.aMember(school)
    const add = (many: number) =>
      world.database.pool.query(
        `insert into audit_entries (id, school_id, action, outcome, actor_user_id, client_id)
         select gen_random_uuid(), $1, 'authorization.granted', 'ok', $2, 'app ' || n from generate_series(1, $3::int) n`,
        [school.id, ada.id, many],
      )
    await add(60)
    const visitor = await signedIn(world, school, ada)
    const first = await visitor.get(PATH)
    const next = /href="(\/account\/history\?before=[^"]+)"/.exec(first.body)?.[1] ?? ''
    const seen = await linesOf(visitor)
    const older = await linesOf(visitor, next)
    expect(seen.length + older.length).toBeGreaterThanOrEqual(60)
    expect(seen.filter((line) => older.includes(line))).toEqual([])
    expect((await visitor.get(`${PATH}?before=nonsense`)).statusCode).toBe(200)
  })

  test('tells nothing of another person, another school or the work of operators', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school, ['owner'])]
    await world.aMember(elsewhere, ['student'], ada)
    const client = await world.aPublicClient(elsewhere, { name: 'Far App' })
    await aPair(world, elsewhere, client, ada)
    const common = { outcome: 'ok', actorUserId: ben.id } as const
    await record(school.db, { ...common, action: 'operation.done', subject: ada.id })
    await record(school.db, {
      ...common,
      action: 'member.roles_changed',
      detail: { subjects: [ada.id, ben.id] },
    })
    await record(school.db, { ...common, action: 'authorization.refused', clientId: 'x' })
    await record(school.db, { ...common, action: 'token.revoked', clientId: 'x' })
    expect(await linesOf(await signedIn(world, school, ada))).toEqual([])
    expect(await linesOf(await signedIn(world, school, ben))).toEqual([])
    expect(await linesOf(await signedIn(world, elsewhere, ada))).toEqual(['You allowed Far App'])
  })

  test('needs a sign-in', async () => {
    const stranger = await world.app.inject({
      url: PATH,
      headers: { host: new URL(school.origin).host },
    })
    expect(stranger.headers.location).toContain('/sign-in')
  })
})
