import { beforeAll } from 'vitest'
import { renewSetupCode } from '../../../src/domain/setup/first-school.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { type AnsweredRequest, aCountedWorld } from '../../support/request-costs.ts'
import { testStatements } from './test-statements.ts'

const { world, costs } = await aCountedWorld()
const origin = 'http://localhost:3000'

let answered: readonly AnsweredRequest[] = []

beforeAll(async () => {
  const code = (await renewSetupCode(world.database.db)) ?? ''
  // No school is there yet; a visitor needs only the origin.
  const nowhere = { origin } as ConstructorParameters<typeof Visitor>[1]
  const visitor = new Visitor(world, nowhere)
  answered = await costs.of(async () => {
    const page = await visitor.get('/setup')
    await visitor.post('/setup', {
      ...hiddenFields(page.body, '/setup'),
      code,
      school_name: 'North School',
      origin,
      subdomain: 'north',
      name: 'Grace Keeper',
      email: 'grace@people.test',
      password: 'a quiet lighthouse far away',
    })
  })
})

testStatements('First run', () => answered)
