import { createServer } from 'node:http'
import { parse } from 'node:querystring'
import { promisify } from 'node:util'
import { fastify } from 'fastify'
import pg from 'pg'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import { openDatabase } from '../../src/foundation/db/database.ts'
import { loadScenario } from '../scenarios/scenarios.ts'
import { announce, DATABASE_URL, POOL, SCENARIO, VARIANT } from './serve.ts'

/** The floor of a scenario on bare Fastify, or without it. */
const scenario = await loadScenario(SCENARIO)
const school = await loadSchool()
if (VARIANT === 'http') await serveRaw()
else await serveFastify()

async function serveFastify(): Promise<void> {
  const app = fastify()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parse(String(body))),
  )
  const pool = VARIANT === 'pipelined' ? await openPipelined() : new pg.Pool(POOL)
  scenario.addFloor(app, { pool, school })
  await app.listen({ host: '127.0.0.1', port: 0 })
  announce(app.server.address())
}

async function serveRaw(): Promise<void> {
  const server = createServer(scenario.answerRaw?.({ pool: new pg.Pool(POOL), school }))
  await promisify((done: () => void) => server.listen(0, '127.0.0.1', done))()
  announce(server.address())
}

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
