import type { Command } from 'commander'
import { purgeOnce } from '../../start/purge.ts'
import { withDatabase } from '../attach.ts'
import type { Cli } from '../cli.ts'
import type { Outcome } from '../outcome.ts'
import { table } from '../table.ts'
import { teach } from '../teach.ts'

export function addPurgeCommand(program: Command, cli: Cli): void {
  const command = program
    .command('purge')
    .description('remove dead rows now')
    .action(cli.act(() => purgeEverything(cli)))
  teach(
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
