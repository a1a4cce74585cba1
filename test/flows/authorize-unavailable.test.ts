import { afterAll, describe, expect } from 'vitest'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { verifies } from '../spec/verifies.ts'
import { aSetup, ask, expectPage, queryOf, type Setup } from '../support/authorization.ts'
import { Visitor } from '../support/browser-like.ts'
import { aWorld, type World } from '../support/world.ts'

/** No server listens on this port. */
const away = openDatabase({
  connection: { host: '127.0.0.1', port: 1, user: 'nobody', database: 'nothing' },
  poolSize: 2,
  statementTimeoutMs: 1000,
})
afterAll(() => away.close())

const world = await aWorld()
const setup = await aSetup(world)

async function worldWhere(directory: SchoolDirectory): Promise<Setup> {
  const broken: World = await aWorld({ db: away.db, directory })
  return { ...setup, world: broken }
}

describe('the database is unavailable', async () => {
  const uncached = await worldWhere(new SchoolDirectory(away.db))
  const cached = await worldWhere(new SchoolDirectory(world.database.db))

  for (const [what, at] of Object.entries({
    'school not cached': uncached,
    'school cached': cached,
  })) {
    verifies(
      'authorize.unproven.error-page',
      `${what}: the person sees a page that says to come back, and nothing goes to the client`,
      async () => {
        const answer = await ask(at)
        expect(answer.statusCode).toBe(503)
        expect(answer.headers['retry-after']).toBeDefined()
        expect(answer.headers.location).toBeUndefined()
        expect(answer.body).toContain('We will be right back')
        expect(answer.headers['cache-control']).toBe('no-store')
      },
    )
  }

  verifies(
    'bearer.no-verdict',
    'an API request at a school that cannot be read gets 503 and no challenge',
    async () => {
      const answer = await uncached.world.app.inject({
        url: '/api/oauth/userinfo',
        headers: { host: new URL(setup.school.origin).host, authorization: 'Bearer x' },
      })
      expect(answer.statusCode).toBe(503)
      expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
      expect(answer.headers['retry-after']).toBeDefined()
      expect(answer.headers['www-authenticate']).toBeUndefined()
    },
  )

  verifies(
    'authorize.bad-input',
    'sign-in is answered by a page with 503, without a session',
    async () => {
      const visitor = new Visitor(cached.world, setup.school)
      const page = await visitor.get('/sign-in')
      const answer = await visitor.signIn(page, setup.person)
      expectPage(answer, 503)
      expect(answer.headers['retry-after']).toBeDefined()
      expect(answer.headers['set-cookie']).toBeUndefined()
    },
  )
})

describe('a URL beyond the limit', () => {
  for (const path of ['/oauth/authorize', '/sign-in', '/consent', '/api/oauth/userinfo', '/mcp']) {
    verifies('authorize.bad-input', `${path} answers 414 and names the limit`, async () => {
      const answer = await new Visitor(world, setup.school).get(
        `${path}?${queryOf(setup, { state: 'x'.repeat(9000) })}`,
      )
      expect(answer.statusCode).toBe(414)
      expect(answer.json().error_description).toContain('8192')
    })
  }
})
