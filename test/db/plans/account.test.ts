import { expect, test } from 'vitest'
import { aPair } from '../../support/client-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { wholeReads } from '../../support/plans.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const school = await world.aSchool()
const answered: AnsweredRequest[] = []
const SESSIONS = '/account/sessions'

/** Counts the statements of `work` and checks that none reads a whole table. */
async function checkPlans(work: () => Promise<void>): Promise<void> {
  const requests = await costs.of(work)
  answered.push(...requests)
  const statements = requests.flatMap((request) => request.statements)
  expect(statements.length).toBeGreaterThan(3)
  expect(await wholeReads(world.database.connection, statements)).toEqual(new Map())
}

test('listing and ending signed-in browsers reads no whole table', async () => {
  const ada = await world.aMember(school)
  const here = await signedIn(world, school, ada)
  for (let others = 0; others < 3; others++) await signedIn(world, school, ada)
  await checkPlans(async () => {
    const ended = await submit(here, SESSIONS, `${SESSIONS}/end`)
    expect(ended.headers.location).toBe(`${SESSIONS}?done=ended`)
    const all = await submit(here, SESSIONS, `${SESSIONS}/end-others`)
    expect(all.headers.location).toBe(`${SESSIONS}?done=others-ended`)
  })
})

test('the history of a person reads no whole table', async () => {
  const ada = await world.aMember(school)
  await aPair(world, school, await world.aPublicClient(school), ada)
  const visitor = await signedIn(world, school, ada)
  await checkPlans(async () => {
    for (const query of ['', '?before=01981c5e-7c00-7000-8000-0000000e0001']) {
      expect((await visitor.get(`/account/history${query}`)).statusCode).toBe(200)
    }
  })
})

testStatements('Pages of my account', () => answered)
