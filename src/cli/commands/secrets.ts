import type { Command } from 'commander'
import { sealAgain } from '../../domain/setup/installation-secret.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { findOldSecrets, openKeyring } from '../../start/installation-secret.ts'
import { withDatabase } from '../attach.ts'
import type { Cli } from '../cli.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { teach } from '../teach.ts'

export function addSecretsCommand(program: Command, cli: Cli): void {
  const secrets = program.command('secrets').description('the secret of the installation')
  const rotate = secrets
    .command('rotate')
    .description('seal everything again with the new secret')
    .action(cli.act(() => rotateSecret(cli)))
  teach(
    rotate,
    'Set SCHOOLGATE_SECRET to the new secret and SCHOOLGATE_OLD_SECRET to the old one for all servers and for this command. Signing keys and all else that is sealed in the database is then sealed with the new one, while the servers work. A run that was interrupted can be repeated. Afterwards remove SCHOOLGATE_OLD_SECRET.',
    'secrets rotate',
  )
}

async function rotateSecret(cli: Cli): Promise<Outcome> {
  const config = cli.config()
  if ((await findOldSecrets(config)).length === 0) {
    throw new CommandError(
      'There is no old secret, so there is nothing to replace.',
      'set SCHOOLGATE_SECRET to the new secret and SCHOOLGATE_OLD_SECRET to the old one; docs/guides/keys.md tells the whole way',
    )
  }
  return await withDatabase(config, async ({ db }) => {
    const keyring = await openKeyring(config, db)
    const data = await sealAgain(db, keyring)
    const lines = [
      data.old === 0
        ? `Everything was sealed with the new secret already (${data.found} values).`
        : `Sealed again: ${data.old} of ${data.found} values.`,
      ...(data.unreadable === 0
        ? []
        : [`Neither secret opens ${data.unreadable} values: ${commandText('doctor')} names them.`]),
      'Remove SCHOOLGATE_OLD_SECRET from every server, and restart them.',
    ]
    return { data, text: lines.join('\n') }
  })
}
