import { expect, test } from 'vitest'
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

testStatements('Own account', () => answered)
