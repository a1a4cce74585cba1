import type { Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type DemoGuide, describeDemoWorld } from '../demo/demo-world.ts'
import { SETUP_CODE_MINUTES, SETUP_CODE_TRIES } from '../domain/setup/first-school.ts'
import { proveGrowth, proveWrite } from '../domain/setup/write-proof.ts'
import type { Database } from '../foundation/db/database.ts'
import {
  findProgress,
  type IndexProgress,
  type Query,
  saidProgress,
} from '../foundation/db/migration/build-indexes.ts'
import type { IndexOfFile, Migration } from '../foundation/db/migration/migrations.ts'
import { DISK_FULL, isDatabaseUnavailable } from '../foundation/db/unavailable.ts'
import type { ReadinessCheck } from '../foundation/http/health.ts'
import { COMMAND, commandText } from '../foundation/text/command-name.ts'
import { VERSION } from '../version.ts'
import type { DatabaseServer } from './open-database.ts'

/** A write that was proven counts for so long: load balancers ask every second. */
const PROVEN_FOR_MS = 10_000

/** What `/readyz` checks. */
export function readinessChecks(
  database: Database,
  migrations: readonly Migration[],
  isDraining: () => boolean,
  provenForMs = PROVEN_FOR_MS,
): readonly ReadinessCheck[] {
  let provenAt = Number.NEGATIVE_INFINITY

  const findDatabaseProblem = async (): Promise<string | undefined> => {
    const problem = await findSchemaProblem(
      (sql, values) => database.pool.query(sql, values),
      migrations,
    )
    if (problem !== undefined) return problem
    if (database.disk.isFull) {
      await proveGrowth(database.db)
      database.disk.isFull = false
    }
    if (performance.now() - provenAt < provenForMs) return undefined
    await proveWrite(database.db)
    provenAt = performance.now()
    return undefined
  }

  return [
    {
      name: 'accepting requests',
      findProblem: () => (isDraining() ? 'The server is shutting down.' : undefined),
    },
    {
      name: 'database',
      findProblem: async () => {
        try {
          return await findDatabaseProblem()
        } catch (error) {
          provenAt = Number.NEGATIVE_INFINITY
          return isDatabaseUnavailable(error) && error.code === DISK_FULL
            ? 'The disk of the database is full.'
            : 'The database does not answer, or accepts no writes.'
        }
      },
    },
  ]
}

/**
 * Why this build cannot serve on the schema of the database; undefined if it can. For the readiness
 * check.
 */
export async function findSchemaProblem(
  query: Query,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  const newest = migrations.findLast(({ indexes }) => indexes === undefined)
  const awaited = migrations.filter(({ indexes }) => indexes?.[0]?.isAwaited)
  const needed = [...(newest === undefined ? [] : [newest]), ...awaited]
  // The digest too: the migrations of 0.1.0 have other files under the same numbers.
  const { rows } = await query(
    'select digest from schema_migrations where number = any($1::int[]) and digest = any($2::text[])',
    [needed.map(({ number }) => number), needed.map(({ digest }) => digest)],
  )
  const present = new Set(rows.map((row) => (row as { digest: string }).digest))
  if (newest !== undefined && !present.has(newest.digest)) {
    return `Migrations are pending: run ${commandText('migrate')}.`
  }
  const missing = awaited.find(({ digest }) => !present.has(digest))?.indexes ?? []
  const [first] = missing
  if (first === undefined) return undefined
  for (const index of missing) {
    const progress = await findProgress(query, index.name)
    if (progress !== undefined) return wait(index, progress)
  }
  return wait(first, undefined)
}

function wait({ name, table }: IndexOfFile, progress: IndexProgress | undefined): string {
  return `The index ${name} on ${table} must be built first (${saidProgress(progress)}). Wait, or see the log.`
}

/** Printed after the start: the addresses, and what to try next. */
interface Started {
  readonly config: Config
  readonly server: DatabaseServer
  readonly isDemo: boolean
  readonly setupCode: string | undefined
}

/** In production every line of the output is JSON, for the program that collects it. */
export function announceStart(out: Writable, log: Logger, started: Started): void {
  if (started.config.NODE_ENV !== 'production') {
    printBanner(out, started)
    return
  }
  const { config, server, setupCode } = started
  log.info({ version: VERSION, port: config.PORT, database: server.description }, 'ready')
  if (setupCode === undefined) return
  const minutes = SETUP_CODE_MINUTES
  log.warn({ setupCode, minutes }, 'there is no school yet; type the setup code at /setup')
}

function printBanner(out: Writable, started: Started): void {
  const { config, server } = started
  const address = `http://${shownHost(config.HOST)}:${config.PORT}`
  const lines = [
    '',
    `  Schoolgate ${VERSION} is ready on ${address}`,
    `  ${server.description}`,
    ...(started.isDemo ? demoLines(describeDemoWorld(config.PORT)) : []),
    ...(started.setupCode === undefined ? [] : setupLines(started.setupCode, address)),
    ...(started.isDemo || started.setupCode !== undefined ? [] : schoolLines()),
    '',
  ]
  out.write(`${lines.join('\n')}\n`)
}

function shownHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function setupLines(code: string, address: string): string[] {
  return [
    '',
    `  There is no school yet. Open ${address}/setup on this machine, or /setup at the https address of`,
    `  the school, and type this setup code: ${code}`,
    `  It works for ${SETUP_CODE_MINUTES} minutes and ${SETUP_CODE_TRIES} tries, and replaces earlier ones. A new one: ${COMMAND} setup-code`,
    `  To try everything with demo schools instead: ${COMMAND} demo`,
  ]
}

function schoolLines(): string[] {
  return [
    '',
    `  See the schools with ${commandText('school list')}, add one with \`school create\`.`,
  ]
}

function demoLines(guide: DemoGuide): string[] {
  const width = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length))
  const origins = width(guide.schools.map((school) => school.origin))
  const emails = width(guide.people.map((person) => person.email))
  const texts = width(guide.next.map((step) => step.text))
  return [
    '',
    '  Schools',
    ...guide.schools.map(
      ({ name, origin, note }) => `    ${origin.padEnd(origins)}  ${name}: ${note}`,
    ),
    '',
    `  People, all with the password ${guide.password}`,
    ...guide.people.map(({ email, roles }) => `    ${email.padEnd(emails)}  ${roles}`),
    '',
    `  Clients, with the redirect URIs ${guide.redirectUris.join(' and ')} on any port`,
    ...guide.schools.map(({ clients }) => `    ${clients.map(clientText).join(', ')}`),
    '',
    '  Next',
    ...guide.next.map(({ text, url }) => `    ${text.padEnd(texts)}  ${url}`),
  ]
}

function clientText(client: DemoGuide['schools'][number]['clients'][number]): string {
  return client.secret === undefined
    ? client.clientId
    : `${client.clientId} (secret ${client.secret})`
}
