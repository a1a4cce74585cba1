import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { ROLES, type Role } from '../../domain/actor/actor.ts'
import { changeEntry, recordForInstallation } from '../../domain/audit/audit.ts'
import { deletePerson } from '../../domain/people/deletion/delete-person.ts'
import { resetFactors } from '../../domain/people/factors/second-factor.ts'
import { sendInvitation } from '../../domain/people/invitations.ts'
import { unknownPassword } from '../../domain/people/not-me-link.ts'
import {
  findPasswordProblem,
  MIN_PASSWORD_LENGTH,
  type PasswordContext,
  type PasswordProblem,
} from '../../domain/people/password-strength.ts'
import { findPersonByEmail } from '../../domain/people/person.ts'
import {
  addPerson,
  endEverything,
  setPersonPassword,
  setPersonRoles,
} from '../../domain/people/person-operations.ts'
import { hashPassword, MAX_PASSWORD_BYTES } from '../../foundation/crypto/password.ts'
import { COMMAND, commandText } from '../../foundation/text/command-name.ts'
import { addHelp, BY_COMMAND_LINE, type Cli } from '../cli.ts'
import { CommandError, explainRefusal, type Outcome } from '../outcome.ts'
import {
  atNamedSchool,
  loadPerson,
  SCHOOL_ABOUT,
  SCHOOL_OPTION,
  unknownPerson,
  withDatabase,
} from '../with-database.ts'
import { addPasskeysCommand, addSetEmailCommand } from './user-passkeys.ts'

export function addUserCommand(program: Command, cli: Cli): void {
  const user = program.command('user').description('people and their roles at a school')

  const create = user
    .command('create')
    .description('give a person roles at a school, with a new account if they have none')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .requiredOption('--email <email>', 'how they sign in')
    .requiredOption('--name <name>', 'their name, if the account is new')
    .requiredOption('--roles <roles>', `one or more of ${ROLES.join(', ')}, comma-separated`)
    .option('--password-stdin', 'read the password of a new account from stdin')
    .action(cli.act((options: CreateOptions) => createUser(cli, options)))
  addHelp(
    create,
    'A person is one account across all schools. An email that is known gets the roles and keeps its own name and password; the school sees --name until the person signs in there. Without --password-stdin a new account has no password, so its owner cannot sign in before they set one by “Forgot your password?” at this school.',
    'user create --school north --email ada@north.example --name Ada --roles owner --password-stdin < password.txt',
  )

  const role = user
    .command('role')
    .description('set the roles of a member')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .requiredOption('--email <email>', 'who')
    .requiredOption('--roles <roles>', 'the roles from now on, comma-separated; none to leave')
    .action(cli.act((options: RoleOptions) => setUserRoles(cli, options)))
  addHelp(
    role,
    "Replaces the person's roles at this school and touches nothing else of theirs. It holds at once: tokens of a person without a role are refused, and the operator apps of a person who is no longer owner or admin are disconnected for good. The last owner of a school stays one.",
    'user role --school north --email ada@north.example --roles admin,lecturer',
  )

  const password = user
    .command('password')
    .description('set the password of a member')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .requiredOption('--email <email>', 'who')
    .requiredOption('--password-stdin', 'read the new password from stdin')
    .action(cli.act((options: PasswordOptions) => setUserPassword(cli, options)))
  addHelp(
    password,
    'For a person whom no mail can help, for example because they never signed in. Ends their sessions and connected apps at every school; if the server sends mail, they are told.',
    'user password --school north --email ada@north.example --password-stdin < password.txt',
  )

  addInviteCommand(user, cli)
  addPasskeysCommand(user, cli)
  const factors = user
    .command('reset-factors')
    .description('switch off the second factor of a person who lost it')
    .argument('<email>', 'who')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .action(
      cli.act((email: string, { reason }: ResetOptions) => resetUserFactors(cli, email, reason)),
    )
  addHelp(
    factors,
    'For a person without their phone and without recovery codes. First make sure that it is them: after this their password alone signs them in. Removes the authenticator app, the recovery codes and the trusted browsers, and signs them out everywhere; password and connected apps stay.',
    'user reset-factors ada@north.example --reason "lost phone, known in person"',
  )
  addSetEmailCommand(user, cli)

  addEndEverythingCommand(user, cli)

  const remove = user
    .command('delete')
    .description('delete a person, at every school')
    .requiredOption('--email <email>', 'who')
    .option('--force', 'although a school is left without an owner')
    .action(cli.act((options: DeleteOptions) => deleteUser(cli, options)))
  addHelp(
    remove,
    'Erases email, name, picture, password and passkeys, ends sessions and connected apps everywhere, and takes every role away, at once. The server then removes what each school knows of them: courses, progress, bookings, comments, answers, notifications. What they paid stays on record, without their name. This cannot be undone.',
    'user delete --email ada@north.example',
  )
}

interface CreateOptions {
  readonly school: string
  readonly email: string
  readonly name: string
  readonly roles: string
  readonly passwordStdin?: boolean
}

async function createUser(cli: Cli, options: CreateOptions): Promise<Outcome> {
  const roles = parseRoles(options.roles)
  const email = options.email.trim()
  const { name } = options
  return await atNamedSchool(cli, options.school, async ({ db, school, perform }) => {
    const passwordHash = options.passwordStdin
      ? await hashPassword(
          await readPassword(cli.io.stdin ?? process.stdin, { email, name, school }),
        )
      : undefined
    // The operation never tells whether the account existed; the command line may read the table.
    const known = await findPersonByEmail(db, email)
    const added = await perform(addPerson, { email, name, roles, password_hash: passwordHash })
    const created = known === undefined
    return {
      data: { userId: added.id, email, school: school.subdomain, roles, created },
      text: [
        `${email} is ${roles.join(', ')} at ${school.subdomain}.`,
        ...(created ? [] : ['The account existed: its name and password are unchanged.']),
        ...(created && passwordHash === undefined
          ? [`The account has no password yet. Set one with ${commandText('user password')}.`]
          : []),
      ].join('\n'),
    }
  })
}

interface RoleOptions {
  readonly school: string
  readonly email: string
  readonly roles: string
}

async function setUserRoles(cli: Cli, options: RoleOptions): Promise<Outcome> {
  const roles = options.roles.trim() === 'none' ? [] : parseRoles(options.roles)
  return await atNamedSchool(cli, options.school, async ({ db, school, perform }) => {
    const { id, email } = await loadPerson(db, options.email)
    const { before } = await perform(
      setPersonRoles,
      { id, roles },
      {
        not_found: [
          `${email} never belonged to ${school.subdomain}.`,
          `add them with ${commandText('user create')}`,
        ],
        last_owner: [
          `${email} is the only owner of ${school.subdomain}.`,
          'give another person the role owner first',
        ],
      },
    )
    return {
      data: { userId: id, email, school: school.subdomain, before, roles },
      text:
        roles.length === 0
          ? `${email} has left ${school.subdomain}.`
          : `${email} is ${roles.join(', ')} at ${school.subdomain}.`,
    }
  })
}

interface PasswordOptions {
  readonly school: string
  readonly email: string
}

async function setUserPassword(cli: Cli, options: PasswordOptions): Promise<Outcome> {
  return await atNamedSchool(cli, options.school, async ({ db, school, perform }) => {
    const { id, email, name } = await loadPerson(db, options.email)
    const about = { email, name, school }
    const hash = await hashPassword(await readPassword(cli.io.stdin ?? process.stdin, about))
    await perform(
      setPersonPassword,
      { id, password_hash: hash },
      {
        not_found: [
          `${email} has no role at ${school.subdomain}.`,
          `name a school where they have one, or give them one with ${commandText('user create')}`,
        ],
      },
    )
    return {
      data: { userId: id, email, school: school.subdomain },
      text: `The password of ${email} is set. They are signed out everywhere, and all apps are disconnected.`,
    }
  })
}

interface ResetOptions {
  readonly reason: string
}

const LONGEST_REASON = 500

async function resetUserFactors(cli: Cli, typed: string, why: string): Promise<Outcome> {
  const reason = why.trim()
  if (reason === '' || reason.length > LONGEST_REASON) {
    const remedy = `say in --reason, in at most ${LONGEST_REASON} characters, how you know that it is them`
    throw new CommandError('The audit log needs a reason.', remedy, 2)
  }
  return await withDatabase(cli.config(), async ({ db }) => {
    const person = await loadPerson(db, typed)
    const { id, email } = person
    const ended = await db
      .transaction()
      .execute((tx) => resetFactors(tx, person, reason, BY_COMMAND_LINE))
    const { hadSecondFactor, sessions } = ended
    return {
      data: { userId: id, email, hadSecondFactor, sessions },
      text: hadSecondFactor
        ? `The second factor of ${email} is off, and they are signed out everywhere (${sessions} sessions).`
        : `${email} had no second factor. They are signed out everywhere (${sessions} sessions).`,
    }
  })
}

interface DeleteOptions {
  readonly email: string
  readonly force?: boolean
}

async function deleteUser(cli: Cli, { email, force = false }: DeleteOptions): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const person = await loadPerson(db, email)
    const deleting = db
      .transaction()
      .execute((tx) => deletePerson(tx, person.id, { force }, BY_COMMAND_LINE))
    const { schools, sessions, authorizations } = await explainRefusal(deleting, {
      not_found: unknownPerson(email),
      last_owner: 'give another person the role owner there first, or add --force',
    })
    return {
      data: { userId: person.id, schools, sessions, authorizations },
      text: `Deleted. Ended: membership of ${schools} schools, ${sessions} sessions, ${authorizations} connected apps.`,
    }
  })
}

function parseRoles(text: string): Role[] {
  const words = text.split(',').flatMap((word) => word.trim() || [])
  const unknown = words.find((word) => !ROLES.includes(word as Role))
  if (unknown === undefined && words.length > 0) return words as Role[]
  throw new CommandError(
    unknown === undefined ? 'No role was named.' : `There is no role "${unknown}".`,
    `choose from ${ROLES.join(', ')}, comma-separated`,
    2,
  )
}

interface EndOptions {
  readonly email: string
  readonly reason: string
}

function addEndEverythingCommand(user: Command, cli: Cli): void {
  const end = user
    .command('end-everything')
    .description('end all sessions and apps of a person whose account another person uses')
    .requiredOption('--email <email>', 'who')
    .requiredOption('--reason <text>', 'why, for the audit of this installation')
    .action(cli.act((options: EndOptions) => endAll(cli, options)))
  addHelp(
    end,
    'Does the same as the link “It was not me” in a mail: ends sessions, connected apps and remembered browsers at every school, removes passkeys and authenticators that were added in the last week, and makes the password useless. If the server sends mail, the person gets a link to choose a new one.',
    'user end-everything --email ada@north.example --reason "reported by telephone"',
  )
}

async function endAll(cli: Cli, { email, reason }: EndOptions): Promise<Outcome> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const person = await findPersonByEmail(db, email)
    if (person === undefined) {
      throw new CommandError(`No person has the email ${email}.`, 'check the spelling')
    }
    const hash = await unknownPassword()
    const { id: userId } = person
    await db.transaction().execute(async (tx) => {
      await endEverything(tx, { userId, email: person.email, hash, by: 'end_everything' })
      const change = {
        action: 'person.everything_ended',
        subject: userId,
        detail: { reason: reason.slice(0, 1000) },
      } as const
      await recordForInstallation(tx, changeEntry(BY_COMMAND_LINE, change))
    })
    return {
      data: { userId, email: person.email },
      text: `Ended: all sessions, connected apps and the password of ${person.email}. They choose a new password by “Forgot your password?”.`,
    }
  })
}

interface InviteOptions {
  readonly school: string
  readonly email: string
}

function addInviteCommand(user: Command, cli: Cli): void {
  const command = user
    .command('invite')
    .description('invite a member who has not signed in yet')
    .requiredOption(SCHOOL_OPTION, SCHOOL_ABOUT)
    .requiredOption('--email <email>', 'who')
    .action(cli.act((options: InviteOptions) => inviteUser(cli, options)))
  addHelp(
    command,
    'Queues an email with a link to choose a password, or to sign in for a person who has an account. A running server with SMTP_URL sends it within a minute. Once an hour for one person; the school sees it on the page of the member.',
    'user invite --school north --email ada@north.example',
  )
}

async function inviteUser(cli: Cli, options: InviteOptions): Promise<Outcome> {
  return await atNamedSchool(cli, options.school, async ({ db, school, perform }) => {
    const { id, email } = await loadPerson(db, options.email)
    await perform(
      sendInvitation,
      { id },
      {
        not_found: [
          `${email} holds no role at ${school.subdomain}.`,
          `add them with ${commandText('user create')}`,
        ],
      },
    )
    return {
      data: { userId: id, email, school: school.subdomain },
      text: `An invitation to ${email} is queued.`,
    }
  })
}

const WORDS: Readonly<Record<PasswordProblem, string>> = {
  too_short: `has fewer than ${MIN_PASSWORD_LENGTH} characters`,
  too_long: `has more than ${MAX_PASSWORD_BYTES} bytes`,
  repeated: 'repeats a short text',
  common: 'is one of the passwords that are guessed first, or like one of them',
  personal: 'is made of the name, the email address or the school’s name',
}

/**
 * Reads a password from a pipe. Never from the command line, where every user of the machine can
 * read it in the list of processes and the shell keeps it in its history.
 */
async function readPassword(input: Readable, about: PasswordContext): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk))
    length += chunks.at(-1)?.length ?? 0
    if (length > MAX_PASSWORD_BYTES + 2) break
  }
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  const problem = await findPasswordProblem(password, about)
  if (problem === undefined) return password
  throw new CommandError(
    `The password on stdin cannot be used: it ${WORDS[problem]}.`,
    `pipe another one in, such as: printf '%s' "$PASSWORD" | ${COMMAND} user … --password-stdin`,
    2,
  )
}
