import { parse } from 'node:querystring'
import { fastify } from 'fastify'
import pg from 'pg'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { loadScenario } from '../scenarios/scenarios.ts'
import { announce, DATABASE_URL, POOL, SCENARIO, VARIANT } from './serve.ts'

/** The floor of a scenario on bare Fastify. */
const app = fastify()
app.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, body, done) => done(null, parse(String(body))),
)
const pool = VARIANT === 'pipelined' ? await openPipelined() : new pg.Pool(POOL)
const scenario = await loadScenario(SCENARIO)
scenario.addFloor(app, { pool, school: await loadSchool() })
await app.listen({ host: '127.0.0.1', port: 0 })
announce(app.server.address())

/** One pipelined connection for all requests, as in ours. */
async function openPipelined(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: DATABASE_URL, pipeline: true })
  await client.connect()
  return client
}

async function loadSchool() {
  const connection = { connectionString: DATABASE_URL }
  const database = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 5000 })
  const found = await findSchoolByOrigin(database.db, 'http://s1.bench.test')
  await database.close()
  if (found === undefined) throw new Error('the database has no school')
  return found
}
