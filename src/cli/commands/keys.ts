import type { Command } from 'commander'
import { findSchoolByOrigin } from '../../domain/schools/school.ts'
import { checkSealedKeys, KEY_LEAD_SECONDS, listKeys } from '../../domain/schools/signing.ts'
import { activateKey, publishKey, retireKey } from '../../domain/schools/signing-key-operations.ts'
import { acceptSecret } from '../../domain/setup/installation-secret.ts'
import { Keyring } from '../../foundation/crypto/seal.ts'
import { COMMAND, commandText } from '../../foundation/text/command-name.ts'
import { loadInstallationSecret, openKeyring } from '../../start/installation-secret.ts'
import { addHelp, type Cli } from '../cli.ts'
import { atSchools, type WhichSchools, withManySchools } from '../many-schools.ts'
import { CommandError, type Outcome, table } from '../outcome.ts'
import {
  atNamedSchool,
  type NamedSchool,
  SCHOOL_ABOUT,
  SCHOOL_OPTION,
  withDatabase,
} from '../with-database.ts'

interface RetireOptions extends WhichSchools {
  readonly force?: boolean
  readonly leaked?: boolean
}

interface ActivateOptions extends WhichSchools {
  readonly force?: boolean
}

interface Options {
  readonly school: string
}

const LEAD_HOURS = KEY_LEAD_SECONDS / 3600

export function addKeysCommand(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('keys that sign ID tokens')
  let opened: Promise<Keyring> | undefined
  const keyring = ({ db }: NamedSchool): Promise<Keyring> => {
    opened ??= openKeyring(cli.config(), db)
    return opened
  }

  const publish = withManySchools(
    keys.command('publish').description('make a new key and show it to verifiers'),
  ).action(
    cli.act((options: WhichSchools) =>
      atSchools(
        cli,
        options,
        async (named) => publishOne(named, await keyring(named)),
        `In ${LEAD_HOURS} hours: ${commandText('keys activate --where waiting-key=on')}; at once with --force if these are the first keys of their schools.`,
      ),
    ),
  )
  addHelp(
    publish,
    `The key appears in the school's JWKS and signs nothing yet. After ${LEAD_HOURS} hours every cached copy of the JWKS must have it, and it may be activated. The private half lies in the database, sealed with the installation's secret.`,
    'keys publish --school north',
  )

  const activate = withManySchools(
    keys
      .command('activate [kid]')
      .description(
        'let a published key sign, and retire the one that signed before; unless named, the newest',
      ),
  )
    .option('--force', 'although caches may lack the key; harmless for the first key of a school')
    .action(
      cli.act((kid: string | undefined, options: ActivateOptions) =>
        atSchools(cli, refuseKidOfMany(kid, options), async (named) =>
          activateOne(named, await keyring(named), kid ?? (await newestOf(named)), options),
        ),
      ),
    )
  addHelp(
    activate,
    `ID tokens are signed with this key from now on. Refused until ${LEAD_HOURS} hours after it was published, since a client that keeps an older copy of the JWKS would refuse every sign-in. The former key stays in the JWKS for a day.`,
    'keys activate --school north 3fK9…',
  )

  const retire = withManySchools(keys.command('retire [kid]').description('take a key out of use'))
    .option('--force', 'although it is the key that signs: ID tokens of this school stop')
    .option('--leaked', 'take it out of the JWKS at once, also if it is retired already')
    .action(
      cli.act((kid: string | undefined, options: RetireOptions) => {
        if (kid === undefined && options.leaked !== true) throw noKeyNamed()
        refuseKidOfMany(kid, options)
        return atSchools(cli, options, (named) =>
          kid === undefined ? retireFormer(named) : retireOne(named, kid, options),
        )
      }),
    )
  addHelp(
    retire,
    'The key never signs again. It stays in the JWKS for a day, for the tokens it signed, unless it leaked. To replace a key, publish and activate another one instead: that retires this one. With --leaked and without a kid, all keys but the one that signs leave the JWKS at once, also one that waits to be activated.',
    'keys retire --school north 3fK9…',
  )

  const list = keys
    .command('list')
    .description('list the keys of a school')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .action(cli.act((options: Options) => atNamedSchool(cli, options.school, showKeys)))
  addHelp(list, 'Changes nothing.', 'keys list --school north')

  const accept = keys
    .command('accept-secret')
    .description('use the present secret although the database was made with another one')
    .action(cli.act(() => acceptPresentSecret(cli)))
  addHelp(
    accept,
    'Only if the right secret is lost: a start refuses another one. Keys that the lost secret sealed never sign again, so publish and activate new ones at every school. Sign-ins that are under way begin again.',
    'keys accept-secret',
  )
}

async function acceptPresentSecret(cli: Cli): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const keyring = new Keyring(await loadInstallationSecret(cli.config()))
    await acceptSecret(db, keyring)
    const { unreadable } = await checkSealedKeys(db, keyring)
    const left = unreadable.length === 0 ? '' : `\nClosed for ever: ${unreadable.join(', ')}`
    return { data: { unreadable }, text: `The present secret is accepted.${left}` }
  })
}

async function publishOne(
  { schoolDb: db, perform, school }: NamedSchool,
  keyring: Keyring,
): Promise<Outcome> {
  const { kid, ready_at: readyAt } = await perform(publishKey(keyring), {})
  const next = `${COMMAND} keys activate --school ${school.subdomain} ${kid}`
  const isFirst = (await listKeys(db)).length === 1
  return {
    data: { kid, stage: 'published', readyAt },
    text: isFirst
      ? `Published ${kid}.\nIt is the first key of this school, so it can sign at once: ${next} --force`
      : `Published ${kid}.\nFrom ${readyAt} on: ${next}`,
  }
}

async function activateOne(
  named: NamedSchool,
  keyring: Keyring,
  kid: string,
  { force = false }: ActivateOptions,
): Promise<Outcome> {
  const readyAt = (await listKeys(named.schoolDb))
    .find((key) => key.kid === kid)
    ?.readyAt.toISOString()
  const words = {
    not_found: unknownKey(named, kid),
    already_active: 'there is nothing to do',
    already_retired: 'publish a new key instead',
    too_early: `wait until ${readyAt}, or add --force if no ID token was ever verified at this school`,
    does_not_open:
      'set SCHOOLGATE_SECRET to the secret it was published with, or publish a new key',
  }
  const { retired } = await named.perform(activateKey(keyring), { kid, force }, words)
  return {
    data: { kid, stage: 'active', retired },
    text: `${kid} signs from now on.${retired === null ? '' : ` ${retired} is retired.`}`,
  }
}

/** The key that was published last and waits. */
async function newestOf({ schoolDb, school }: NamedSchool): Promise<string> {
  const key = (await listKeys(schoolDb)).find(({ stage }) => stage === 'published')
  if (key !== undefined) return key.kid
  throw new CommandError(
    'No key of this school waits to be activated.',
    `publish one with ${commandText(`keys publish --school ${school.subdomain}`)}`,
  )
}

async function retireOne(
  named: NamedSchool,
  kid: string,
  { force = false, leaked = false }: RetireOptions,
): Promise<Outcome> {
  await named.perform(
    retireKey,
    { kid, force, leaked },
    {
      not_found: unknownKey(named, kid),
      already_retired: 'there is nothing to do',
      signs:
        'publish and activate another key, which retires this one; or add --force to stop ID tokens',
    },
  )
  return {
    data: { kid, stage: 'retired' },
    text: `${kid} is retired${leaked ? ' and no longer in the JWKS' : ''}.`,
  }
}

/** Takes all keys out of the JWKS but the one that signs: former ones, and those that wait. */
async function retireFormer({ db, school, perform }: NamedSchool): Promise<Outcome> {
  const { keys = [] } = (await findSchoolByOrigin(db, school.origin)) ?? {}
  const former = keys.filter(({ stage }) => stage !== 'active')
  const kids = former.map(({ kid }) => kid)
  for (const kid of kids) await perform(retireKey, { kid, leaked: true })
  return {
    data: { kids, stage: 'retired' },
    text: `${kids.length} keys are no longer in the JWKS.`,
  }
}

function refuseKidOfMany<W extends WhichSchools>(kid: string | undefined, which: W): W {
  if (kid === undefined || which.school !== undefined) return which
  throw new CommandError('A key belongs to one school.', 'name the school, or leave the kid out', 2)
}

const noKeyNamed = () =>
  new CommandError('No key was named.', 'name its kid, or use --leaked for all former ones', 2)

const unknownKey = ({ school }: NamedSchool, kid: string) =>
  [
    `This school has no key ${kid}.`,
    `${commandText(`keys list --school ${school.subdomain}`)} shows the keys that it has`,
  ] as const

async function showKeys({ schoolDb: db, school }: NamedSchool): Promise<Outcome> {
  const keys = await listKeys(db)
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
    `This school has no keys, so it gives no ID tokens. Make one with ${commandText(`keys publish --school ${school.subdomain}`)}.`,
  )
  return { data: { keys }, text }
}
