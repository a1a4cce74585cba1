import type { Command } from 'commander'
import {
  activateKey,
  KEY_LEAD_SECONDS,
  type KeyActivation,
  type KeyRetirement,
  listKeys,
  publishKey,
  retireKey,
} from '../../domain/schools/signing-keys.ts'
import { Keyring } from '../../foundation/crypto/seal.ts'
import { atSchool, type SchoolDb } from '../../foundation/db/school-db.ts'
import { loadInstallationSecret } from '../../start/installation-secret.ts'
import { withDatabase } from '../attach.ts'
import { BY_COMMAND_LINE } from '../by-command-line.ts'
import type { Cli } from '../cli.ts'
import { loadSchool, SCHOOL_ABOUT, SCHOOL_OPTION } from '../load-school.ts'
import { CommandError, type Outcome } from '../outcome.ts'
import { table } from '../table.ts'
import { teach } from '../teach.ts'

interface Options {
  readonly school: string
  readonly force?: boolean
}

const LEAD_HOURS = KEY_LEAD_SECONDS / 3600

export function addKeysCommand(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('keys that sign ID tokens')
  const atNamedSchool = <R>({ school }: Options, work: (at: SchoolDb) => Promise<R>): Promise<R> =>
    withDatabase(cli.config(), async ({ db }) =>
      work(atSchool(db, (await loadSchool(db, school)).id)),
    )
  const keyring = async (): Promise<Keyring> =>
    new Keyring(await loadInstallationSecret(cli.config()))

  const publish = keys
    .command('publish')
    .description('make a new key and show it to verifiers')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .action(
      cli.act(async (options: Options) => {
        const ring = await keyring()
        return atNamedSchool(options, (at) => publishOne(at, ring, options))
      }),
    )
  teach(
    publish,
    `The key appears in the school's JWKS and signs nothing yet. After ${LEAD_HOURS} hours every cached copy of the JWKS must have it, and it may be activated. The private half lies in the database, sealed with the installation's secret.`,
    'keys publish --school north',
  )

  const activate = keys
    .command('activate <kid>')
    .description('let a published key sign, and retire the one that signed before')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .option('--force', 'although caches may lack the key; harmless for the first key of a school')
    .action(
      cli.act(async (kid: string, options: Options) => {
        const ring = await keyring()
        return atNamedSchool(options, (at) => activateOne(at, ring, kid, options))
      }),
    )
  teach(
    activate,
    `ID tokens are signed with this key from now on. Refused until ${LEAD_HOURS} hours after it was published, since a client that keeps an older copy of the JWKS would refuse every sign-in. The former key stays in the JWKS for a day.`,
    'keys activate --school north 3fK9…',
  )

  const retire = keys
    .command('retire <kid>')
    .description('take a key out of use')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .option('--force', 'although it is the key that signs: ID tokens of this school stop')
    .action(
      cli.act((kid: string, options: Options) =>
        atNamedSchool(options, (at) => retireOne(at, kid, options)),
      ),
    )
  teach(
    retire,
    'The key never signs again. It stays in the JWKS for a day, for the tokens it signed. To replace a key, publish and activate another one instead: that retires this one.',
    'keys retire --school north 3fK9…',
  )

  const list = keys
    .command('list')
    .description('list the keys of a school')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .action(cli.act((options: Options) => atNamedSchool(options, showKeys)))
  teach(list, 'Changes nothing.', 'keys list --school north')
}

async function publishOne(at: SchoolDb, keyring: Keyring, { school }: Options): Promise<Outcome> {
  const { kid, readyAt } = await at.transaction((tx) => publishKey(tx, keyring, BY_COMMAND_LINE))
  return {
    data: { kid, stage: 'published', readyAt },
    text: `Published ${kid}.\nFrom ${readyAt.toISOString()} on: schoolgate keys activate --school ${school} ${kid}`,
  }
}

async function activateOne(
  at: SchoolDb,
  keyring: Keyring,
  kid: string,
  { force = false }: Options,
): Promise<Outcome> {
  const done = await at.transaction((tx) =>
    activateKey(tx, keyring, kid, { force }, BY_COMMAND_LINE),
  )
  if (done.kind !== 'activated') throw notActivated(kid, done)
  return {
    data: { kid, stage: 'active', retired: done.retired ?? null },
    text: `${kid} signs from now on.${done.retired === undefined ? '' : ` ${done.retired} is retired.`}`,
  }
}

function notActivated(
  kid: string,
  refusal: Exclude<KeyActivation, { kind: 'activated' }>,
): CommandError {
  switch (refusal.kind) {
    case 'unknown':
      return unknownKey(kid)
    case 'not_published':
      return new CommandError(
        `The key ${kid} is ${refusal.stage}; only a published key can be activated.`,
        refusal.stage === 'active' ? 'nothing is to be done' : 'publish a new key instead',
      )
    case 'too_early':
      return new CommandError(
        `Some caches of the JWKS may still lack the key ${kid}; clients that use them would refuse every ID token.`,
        `wait until ${refusal.readyAt.toISOString()}, or add --force if no ID token was ever verified at this school`,
      )
    case 'does_not_open':
      return new CommandError(
        `The key ${kid} does not open with this installation's secret, so it could sign nothing.`,
        'set SCHOOLGATE_SECRET to the secret it was published with, or publish a new key',
      )
  }
}

async function retireOne(at: SchoolDb, kid: string, { force = false }: Options): Promise<Outcome> {
  const done = await at.transaction((tx) => retireKey(tx, kid, { force }, BY_COMMAND_LINE))
  if (done.kind !== 'retired') throw notRetired(kid, done)
  return { data: { kid, stage: 'retired' }, text: `${kid} is retired.` }
}

function notRetired(
  kid: string,
  refusal: Exclude<KeyRetirement, { kind: 'retired' }>,
): CommandError {
  switch (refusal.kind) {
    case 'unknown':
      return unknownKey(kid)
    case 'already_retired':
      return new CommandError(`The key ${kid} is retired already.`, 'nothing is to be done')
    case 'signs':
      return new CommandError(
        `The key ${kid} signs this school's ID tokens; without it there would be none.`,
        'publish and activate another key, which retires this one; or add --force to stop ID tokens',
      )
  }
}

function unknownKey(kid: string): CommandError {
  return new CommandError(
    `This school has no key ${kid}.`,
    '`npx schoolgate keys list` shows the keys that it has',
  )
}

async function showKeys(at: SchoolDb): Promise<Outcome> {
  const keys = await listKeys(at)
  const text = table(
    ['kid', 'stage', 'published', 'may sign from', 'activated', 'retired'],
    keys.map((key) => [
      key.kid,
      key.stage,
      key.publishedAt,
      key.readyAt,
      key.activatedAt,
      key.retiredAt,
    ]),
    'This school has no keys, so it gives no ID tokens. Make one with `npx schoolgate keys publish`.',
  )
  return { data: { keys }, text }
}
