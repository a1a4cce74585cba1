import type { Config } from '../../config.ts'
import { describeDemoWorld } from '../../demo/demo-world.ts'
import { findPersonByEmail } from '../../domain/people/person.ts'
import { type ListedSchool, listSchools } from '../../domain/schools/school-directory.ts'
import {
  checkSealedKeys,
  type KeyHealth,
  schoolsWithoutKeys,
} from '../../domain/schools/signing.ts'
import { readBackupAge } from '../../domain/setup/backup-lease.ts'
import { countSealed, judgeSecret } from '../../domain/setup/installation-secret.ts'
import { Keyring } from '../../foundation/crypto/seal.ts'
import type { Db } from '../../foundation/db/database.ts'
import { trustNoProxy } from '../../foundation/http/client-address.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { backupPlanOf } from '../../start/backup/scheduled-backups.ts'
import {
  findInstallationSecret,
  findOldSecrets,
  secretProblem,
} from '../../start/installation-secret.ts'
import type { StartError } from '../../start/start-error.ts'
import { broken, type Finding, fine, note } from './finding.ts'

const NAMED_AT_MOST = 5

/** Compares rows with each other and with the configuration. */
export async function checkContents(db: Db, config: Config): Promise<readonly Finding[]> {
  return [
    ...(await checkSecret(db, config)),
    ...(await checkSchools(db, config)),
    ...(await checkDemoAccounts(db, config)),
    ...(await checkBackups(db, config)),
  ]
}

function suspended(schools: readonly ListedSchool[]): readonly Finding[] {
  const names = schools.flatMap(({ suspendedAt, subdomain }) => (suspendedAt ? subdomain : []))
  if (names.length === 0) return []
  const next = `${commandText('school resume NAME')} opens one`
  return [
    note('schools', `Suspended, so every address of theirs answers 503: ${some(names)}.`, next),
  ]
}

/** Such as "6 hours". */
function durationInWords(seconds: number): string {
  const [size, unit] =
    seconds < 7200 ? [60, 'minutes'] : seconds < 172_800 ? [3600, 'hours'] : [86_400, 'days']
  return `${Math.max(1, Math.round(seconds / size))} ${unit}`
}

/** Of the backups that servers make by themselves. */
async function checkBackups(db: Db, config: Config): Promise<readonly Finding[]> {
  const plan = backupPlanOf(config)
  if (plan === undefined) return []
  const age = await readBackupAge(db)
  const { seconds = 0, isNone = true } = age ?? {}
  const isLate = seconds > 2 * plan.everySeconds
  if (isNone && !isLate) {
    return [
      note('backups', 'There is none yet.', 'nothing: a running server makes it within minutes'),
    ]
  }
  const found = isNone
    ? `There was none in ${durationInWords(seconds)}`
    : `The last good one is ${durationInWords(seconds)} old`
  return isLate
    ? [
        broken(
          'backups',
          `${found}, and BACKUP_EVERY asks for one every ${durationInWords(plan.everySeconds)}.`,
          'if no server ran meanwhile, start one; otherwise its log says why they fail',
        ),
      ]
    : [fine('backups', `${found}.`)]
}

async function checkSecret(db: Db, config: Config): Promise<readonly Finding[]> {
  const problem = await secretProblem(config, db)
  const secret = problem === undefined ? await findInstallationSecret(config) : undefined
  const old = problem === undefined ? await findOldSecrets(config) : []
  // Without a secret no key can be opened.
  const keyring = new Keyring(secret ?? '', ...old)
  const judged = judgeKeys(problem, secret, await checkSealedKeys(db, keyring))
  if (secret === undefined || old.length === 0) return [judged]
  return [judged, await checkRotation(db, keyring, new Keyring(secret))]
}

/** While an old secret is given. */
async function checkRotation(db: Db, both: Keyring, alone: Keyring): Promise<Finding> {
  const { old } = await countSealed(db, both)
  const isCheckOld = (await judgeSecret(db, alone)) === 'wrong'
  if (old > 0 || isCheckOld) {
    return note(
      'old secret',
      `The old secret is still needed: it sealed ${old + (isCheckOld ? 1 : 0)} values.`,
      `when every server has both secrets: ${commandText('secrets rotate')}`,
    )
  }
  return note(
    'old secret',
    'Nothing needs the old secret any more.',
    'remove SCHOOLGATE_OLD_SECRET, and restart the servers',
  )
}

function judgeKeys(
  problem: StartError | undefined,
  secret: string | undefined,
  { sealedKeys, unreadable }: KeyHealth,
): Finding {
  if (problem !== undefined) {
    return broken(
      'secret',
      `${problem.message} So the server does not start. Signing keys that need the right one: ${some(unreadable) || 'none'}.`,
      problem.remedy,
    )
  }
  if (secret === undefined) {
    return note('secret', 'There is no secret yet.', 'nothing: the first start makes it')
  }
  if (unreadable.length > 0) {
    return broken(
      'secret',
      `It is the one of this database, but ${unreadable.length} of ${sealedKeys} signing keys were sealed with another one: ${some(unreadable)}. Their schools give no ID tokens.`,
      'publish and activate new keys at these schools',
    )
  }
  return fine('secret', `It opens ${everyKey(sealedKeys)}.`)
}

function everyKey(count: number): string {
  if (count === 0) return 'what it sealed; there are no signing keys yet'
  return count === 1 ? 'the one signing key in use' : `all ${count} signing keys in use`
}

async function checkSchools(db: Db, config: Config): Promise<readonly Finding[]> {
  const schools = await listSchools(db)
  if (schools.length === 0) {
    return [
      note(
        'schools',
        'There are none yet, so the server shows its first-run page at /setup.',
        `open it over https or on this machine, with the code from the log or from ${commandText('setup-code')}; or run ${commandText('school create')}`,
      ),
    ]
  }
  const without = await schoolsWithoutKeys(db)
  const https = schools.filter(({ origin }) => origin.startsWith('https:'))
  return [
    fine('schools', schools.length === 1 ? 'There is one.' : `There are ${schools.length}.`),
    ...suspended(schools),
    ...(without.length === 0
      ? []
      : [
          note(
            'keys',
            `Without a signing key, so without ID tokens: ${some(without)}.`,
            `if their clients want ID tokens: ${commandText('keys publish --school NAME')} or --all, then the command that it prints`,
          ),
        ]),
    ...(https.length === 0 || config.TRUST_PROXY !== trustNoProxy
      ? []
      : [
          note(
            'origins',
            `Reached by https, which a proxy must bring, but TRUST_PROXY is empty, so its word is not believed: ${some(https.map(({ subdomain }) => subdomain))}.`,
            'set TRUST_PROXY to the addresses that your proxy connects from',
          ),
        ]),
  ]
}

/** The passwords of the demo are public, so a demo account in production is a security hole. */
async function checkDemoAccounts(db: Db, config: Config): Promise<readonly Finding[]> {
  if (config.NODE_ENV !== 'production') return []
  const emails = describeDemoWorld(config.PORT).people.map(({ email }) => email)
  const people = await Promise.all(emails.map((email) => findPersonByEmail(db, email)))
  const found = people.flatMap((person) => person?.email ?? [])
  if (found.length === 0) return []
  return [
    broken(
      'demo accounts',
      `This is production, and accounts of the demo world are in its database: ${some(found)}. Their password is public.`,
      `use a database of its own for production, or delete them with ${commandText('user delete --force')}`,
    ),
  ]
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_AT_MOST).join(', ')
  return names.length > NAMED_AT_MOST ? `${shown} and ${names.length - NAMED_AT_MOST} more` : shown
}
