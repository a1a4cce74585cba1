import { beforeAll, describe, expect } from 'vitest'
import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import { planOf } from '../../src/surfaces/admin-api/route.ts'
import { ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import { verifies } from '../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import { addExamples, everyRow } from '../support/example-school.ts'
import { aWorld, type TestSchool, type World } from '../support/world.ts'

let world: World
let theirs: TestSchool
let operator: OperatorClient

beforeAll(async () => {
  world = await aWorld()
  theirs = await world.aSchool()
  await addExamples(world, theirs)
  operator = await anOperator(world, await world.aSchool())
})

const ids = new Set<string>(Object.values(EXAMPLE))
const namesTheirs = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(namesTheirs)
    : typeof value === 'string' && ids.has(value)

describe('the ids of another school', () => {
  verifies(
    'admin-api.other-school',
    'are 404 in paths, unknown in bodies, match no row in filters, and change nothing',
    async () => {
      const before = await everyRow(theirs)
      for (const route of ROUTES) {
        const { operation } = route
        const plan = planOf(route)
        for (const { input } of operation.examples) {
          if (!namesTheirs(input)) continue
          const answer = await operator.perform(route, input)
          const told = `${operation.name}: ${answer.statusCode} ${answer.body}`
          if (plan.path.length > 0) {
            expect(answer.statusCode, told).toBe(404)
          } else if (operation.kind === 'read') {
            expect(answer.json().data, told).toEqual([])
          } else {
            expect(answer.statusCode, told).toBe(422)
            expect(answer.json().errors, told).toMatchObject([{ code: 'unknown_reference' }])
          }
        }
      }
      expect(await everyRow(theirs)).toBe(before)
    },
  )
})
