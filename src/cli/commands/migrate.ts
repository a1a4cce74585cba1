import type { Command } from 'commander'
import { fillPlatforms } from '../../domain/clients/vendor-platforms.ts'
import {
  buildIndexes,
  type IndexEvent,
  saidProgress,
} from '../../foundation/db/migration/build-indexes.ts'
import { migrate } from '../../foundation/db/migration/migrate.ts'
import { loadMigrations } from '../../foundation/db/migration/migrations.ts'
import { purgeOnce } from '../../start/purge-rows.ts'
import { addHelp, type Cli } from '../cli.ts'
import { type Outcome, table } from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

export function addMigrateCommand(program: Command, cli: Cli): void {
  const command = program
    .command('migrate')
    .description('bring the database schema up to date')
    .action(cli.act(() => runMigrations(cli)))
  addHelp(
    command,
    'Applies the migrations that this build has and the database lacks, each in a transaction, in order, then builds the indexes that servers build while they run, shows their progress and waits for them, and adds the platforms of its list that are missing. Several may run this at once; starting the server does the same. Make a backup first.',
    'migrate',
  )
}

async function runMigrations(cli: Cli): Promise<Outcome> {
  const config = cli.config()
  return await withDatabase(
    config,
    async ({ connection, db, pool }) => {
      const tell = (line: string): void => void cli.io.stderr.write(`${line}\n`)
      const migrated = await migrate(connection, undefined, {
        newer: config.SCHOOLGATE_NEWER_SCHEMA,
        onBusy: ({ name }) => tell(`${name} waits for the lock of a table that is in use.`),
      })
      const platforms = await fillPlatforms(db)
      const built = await buildIndexes(connection, {
        migrations: await loadMigrations(),
        query: (sql, values) => pool.query(sql, values),
        onEvent: (event) => tell(lineOf(event)),
      })
      const applied = [...migrated, ...built].map(({ name }) => name)
      const lines = [
        applied.length === 0 ? 'The schema is up to date.' : `Applied:\n  ${applied.join('\n  ')}`,
        ...(platforms.length === 0 ? [] : [`Platforms from the list: ${platforms.join(', ')}`]),
      ]
      return { data: { applied, platforms }, text: lines.join('\n') }
    },
    { schema: 'as it is' },
  )
}

function lineOf(event: IndexEvent): string {
  const { name, table } = event.index
  if (event.what === 'progress') return `${name}: ${saidProgress(event.progress)}`
  if (event.what === 'removed unfinished') return `${name}: an unfinished build was removed`
  return event.what === 'begun' ? `${name}: building, on ${table}` : `${name}: built`
}

export function addPurgeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('purge')
    .description('remove dead rows now')
    .action(cli.act(() => purgeEverything(cli)))
  addHelp(
    command,
    'Removes expired and long-revoked tokens, codes, sessions, reset links, documents and audit entries past AUDIT_RETENTION_DAYS, a thousand rows at a time. A running server does this by itself every PURGE_INTERVAL_SECONDS; both may run at once.',
    'purge',
  )
}

async function purgeEverything(cli: Cli): Promise<Outcome> {
  const config = cli.config()
  return await withDatabase(config, async ({ db }) => {
    const { removed } = await purgeOnce(db, {
      auditRetentionDays: config.AUDIT_RETENTION_DAYS,
      // No request waits for the end of this round.
      stepsPerRound: Number.POSITIVE_INFINITY,
    })
    return { data: { removed }, text: table(['what', 'rows'], Object.entries(removed), '') }
  })
}
