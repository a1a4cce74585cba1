import { expect, test } from 'vitest'
import { deletionSweep } from '../../../src/domain/people/purge-people.ts'
import { everythingAbout } from '../../support/everything-about.ts'
import { finishJobs } from '../../support/jobs.ts'
import { proveFactor } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { aPng } from '../../support/pictures.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { uploadTo } from '../../support/uploading.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const answered: AnsweredRequest[] = []

/** Counts the statements of `work` and checks that none reads a whole table. */
async function checkPlans(work: () => Promise<void>): Promise<void> {
  const requests = await costs.of(work)
  answered.push(...requests)
  const statements = requests.flatMap((request) => request.statements)
  expect(statements.length).toBeGreaterThan(3)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
}

/** Without the statement that looks for a job, which reads the few that wait or run. */
const withoutLooks = (statements: readonly string[]) =>
  statements.filter((text) => !/^\s*update jobs j set state = 'running'/.test(text))

test('changing name and picture reads no whole table', async () => {
  const visitor = await signedIn(world, school, await world.aMember(school))
  const PAGE = '/account/profile'
  await checkPlans(async () => {
    expect((await submit(visitor, PAGE, PAGE, { name: 'Ada' })).statusCode).toBe(303)
    const sent = { field: 'picture', bytes: aPng(32) }
    expect((await uploadTo(visitor, `${PAGE}/picture`, sent)).statusCode).toBe(303)
    const [, path = ''] = /src="(\/pictures\/[^"]+)"/.exec((await visitor.get(PAGE)).body) ?? []
    expect((await visitor.get(path)).statusCode).toBe(200)
  })
})

test('a copy of own data reads no whole table', async () => {
  const visitor = await signedIn(world, school, await world.aMember(school))
  const PAGE = '/account/data'
  await checkPlans(async () => {
    expect((await submit(visitor, PAGE, PAGE)).statusCode).toBe(303)
  })
  const statements: string[] = []
  world.database.onStatement((text) => statements.push(text))
  await finishJobs(world)
  expect(statements.length).toBeGreaterThan(30)
  expect(await wholeReads(world.database.connection, withoutLooks(statements))).toEqual(new Map())
  await checkPlans(async () => {
    const { body } = await visitor.get(PAGE)
    for (const [, link = ''] of body.matchAll(/href="([^"]+\/copy\.(?:html|json))"/g)) {
      expect((await visitor.get(link)).statusCode).toBe(200)
    }
  })
})

test('asking for deletion, cancelling it and carrying it out reads no whole table', async () => {
  const ada = await world.aMember(school)
  await everythingAbout(world, school, ada, 'Mark')
  const visitor = await signedIn(world, school, ada)
  const PAGE = '/account/delete'
  await proveFactor(world, ada)
  await checkPlans(async () => {
    expect((await submit(visitor, PAGE, PAGE)).statusCode).toBe(303)
    expect((await submit(visitor, '/account', `${PAGE}/cancel`)).statusCode).toBe(303)
  })
  for (const part of ['school', 'account']) {
    const member = await world.aMember(school)
    const own = await signedIn(world, school, member)
    const fields = { part, confirm_name: member.email }
    expect((await submit(own, PAGE, PAGE, fields)).statusCode).toBe(303)
  }
  await world.database.pool.query("update deletion_requests set due_at = now() - interval '1 day'")
  const statements: string[] = []
  world.database.onStatement((text) => statements.push(text))
  let isDone = false
  while (!isDone) {
    const progress = { after: undefined, size: 1000, now: Date.now() }
    isDone = (await deletionSweep.step(world.database.db, progress)).isDone
  }
  await finishJobs(world)
  expect(statements.filter((text) => text.includes('forgotten_at')).length).toBeGreaterThan(10)
  expect(await wholeReads(world.database.connection, withoutLooks(statements))).toEqual(new Map())
})

testStatements('Own account', () => answered)
