import type { Command } from 'commander'
import { loadMigrations } from '../../foundation/db/migration/migrations.ts'
import { newestOf } from '../../start/backup/backup-format.ts'
import { readBackup } from '../../start/backup/read-backup.ts'
import { restoreBackup } from '../../start/backup/restore-backup.ts'
import { writeBackup } from '../../start/backup/write-backup.ts'
import { secretProblem } from '../../start/installation-secret.ts'
import { addHelp, type Cli } from '../cli.ts'
import type { Outcome } from '../outcome.ts'
import { withDatabase } from '../with-database.ts'

export function addBackupCommand(program: Command, cli: Cli): void {
  const backup = program
    .command('backup')
    .description('write the whole database into one file, and read it back')
    .option('-o, --output <file>', 'where to; a name with the time in it unless given')
    .action(cli.act((options: { output?: string }) => write(cli, options.output)))
  addHelp(
    backup,
    'Everything in the database as it stood at one moment; the server may go on working. The file is readable by you alone: keep it as safe as the database. Not in it: uploaded files, and the secret (SCHOOLGATE_SECRET, or the file "secret" in the data folder), without which the signing keys in the backup cannot be opened.',
    'backup --output /backups/schoolgate.gz',
  )

  const check = backup
    .command('verify <file>')
    .description('prove that a backup is whole, without a database')
    .action(cli.act((file: string) => verify(file)))
  addHelp(
    check,
    'Reads the file to its end, and compares its checksum and the number of rows of each table. Changes nothing. Whether a restore succeeds is only known from a restore: try one now and then.',
    'backup verify /backups/schoolgate.gz',
  )

  const restore = backup
    .command('restore <file>')
    .description('put a backup into an empty database')
    .action(cli.act((file: string) => read(cli, file)))
  addHelp(
    restore,
    'The database must be empty, of the same Schoolgate version, and have the same secret. It is restored in one transaction, whole or not at all. Afterwards the command says whether the secret fits. A data folder without a database gets one: put the file `secret` of the installation there first, and start the server afterwards.',
    'backup restore /backups/schoolgate.gz',
  )
}

async function verify(file: string): Promise<Outcome> {
  const { manifest, rows, tables } = await readBackup(file)
  const { version, migration, createdAt } = manifest
  const newest = newestOf(await loadMigrations())
  const fits = newest === migration.name
  const goesInto = fits
    ? 'This version restores it.'
    : `Version ${version} restores it (it is at ${migration.name}, this version at ${newest}).`
  return {
    data: { file, version, migration: migration.name, createdAt, rows, tables, fits },
    text: `${file} is whole: ${rows} rows of ${Object.keys(tables).length} tables, as of ${createdAt}. ${goesInto}`,
  }
}

async function write(cli: Cli, output: string | undefined): Promise<Outcome> {
  const file = output ?? `schoolgate-${new Date().toISOString().replace(/[:.]/g, '-')}.backup.gz`
  return await withDatabase(cli.config(), async ({ connection }) => {
    const written = await writeBackup(connection, file)
    return {
      data: written,
      text: `${written.rows} rows of ${Object.keys(written.tables).length} tables are in ${file} (${written.bytes} bytes).\nKeep the installation's secret apart from it, and as safe.`,
    }
  })
}

async function read(cli: Cli, file: string): Promise<Outcome> {
  const config = cli.config()
  return await withDatabase(
    config,
    async ({ connection, db }) => {
      const restored = await restoreBackup(connection, file)
      const problem = await secretProblem(config, db)
      const secret =
        problem === undefined
          ? 'The secret of this installation fits.'
          : `The server does not start with it yet. ${problem.message}\n    → ${problem.remedy}`
      return {
        data: { ...restored, secretProblem: problem?.message ?? null },
        text: `Restored ${restored.rows} rows, as of ${restored.createdAt}. ${secret}`,
      }
    },
    { ifMissing: 'make' },
  )
}
