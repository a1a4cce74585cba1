import { atSchool } from '../../src/foundation/db/school-db.ts'
import { Visitor } from './browser-like.ts'
import { aPair } from './client-like.ts'
import { CALLBACK, type TestSchool, type World } from './world.ts'

const DEMO_PASSWORD = 'schoolgate-demo'

/** The main school of `aDemoWorld`. */
export async function theDemoSchool(world: World): Promise<TestSchool> {
  const { db } = world.database
  const { id, origin } = await db
    .selectFrom('schools')
    .select(['id', 'origin'])
    .where('subdomain', '=', 'demo')
    .executeTakeFirstOrThrow()
  return { id, origin, subdomain: 'demo', db: atSchool(db, id) }
}

/** An access token of a demo person for the public demo client. */
export async function aDemoToken(world: World, school: TestSchool, email: string): Promise<string> {
  const { id, name } = await world.database.db
    .selectFrom('users')
    .select(['id', 'name'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const person = { id, name, email }
  const visitor = new Visitor(world, school)
  await visitor.signIn(await visitor.get('/sign-in'), person, DEMO_PASSWORD)
  const client = {
    clientId: `${school.subdomain}-public`,
    secret: undefined,
    redirectUri: CALLBACK,
  }
  const { access_token } = await aPair(world, school, client, person, { visitor })
  return access_token
}
