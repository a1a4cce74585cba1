import { beforeAll, describe, expect, test } from 'vitest'
import { resourceOf } from '../../../src/surfaces/admin-api/route.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { Visitor } from '../../support/browser-like.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
})

describe('the reference at /docs/api', () => {
  test('links to a page for every resource, which shows every operation with its scopes', async () => {
    const visitor = new Visitor(world, school)
    const index = await visitor.get('/docs/api')
    expect(index.statusCode).toBe(200)
    expect(index.headers['content-security-policy']).toContain("default-src 'none'")
    for (const resource of new Set(ROUTES.map(resourceOf))) {
      expect(index.body).toContain(`href="/docs/api/${resource}"`)
      const page = await visitor.get(`/docs/api/${resource}`)
      for (const route of ROUTES.filter((candidate) => resourceOf(candidate) === resource)) {
        expect(page.body).toContain(`${route.method} /api/v1${route.path}`)
        for (const scope of route.operation.scopes) expect(page.body).toContain(scope)
      }
    }
  })

  test('a resource that does not exist is not found', async () => {
    const answer = await new Visitor(world, school).get('/docs/api/nonsense')
    expect(answer.statusCode).toBe(404)
  })
})
