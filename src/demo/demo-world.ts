import type { Transaction } from 'kysely'
import type { Actor } from '../domain/actor/actor.ts'
import { createApplication, setKnownSecret } from '../domain/clients/application-operations.ts'
import { checkInput, runWrite } from '../domain/operation/operation.ts'
import { addKnownPeople } from '../domain/people/known-people.ts'
import { changeAppearance } from '../domain/schools/appearance-operations.ts'
import { activateKey, addSigningKey } from '../domain/schools/signing-key-operations.ts'
import { createSchool, moveLocalOrigin } from '../domain/schools/write-school.ts'
import { hasSchools, lockEmptyInstallation } from '../domain/setup/first-school.ts'
import { hashPassword } from '../foundation/crypto/password.ts'
import type { Keyring } from '../foundation/crypto/seal.ts'
import type { Db } from '../foundation/db/database.ts'
import type { DB } from '../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../foundation/db/school-db.ts'
import { databaseTime } from '../foundation/db/sql-values.ts'
import { DemoClock } from './demo-clock.ts'
import { importSchool, readPeople } from './demo-files.ts'
import { demoId } from './demo-id.ts'
import {
  clientsOf,
  type DemoClient,
  type DemoSchool,
  demoAcademy,
  demoRedirectUris,
  demoSchools,
  originOf,
  schoolId,
} from './demo-schools.ts'

/** The password of everyone who can sign in; the demo world is refused in production. */
export const DEMO_PASSWORD = 'schoolgate-demo'

/** The people who can sign in, with their roles. Classmates and lecturers have no password. */
const ACCOUNTS = new Map([
  ['owner@demo.test', 'owner at demo, harbor, heritage'],
  ['admin@demo.test', 'admin at demo'],
  ['ada@demo.test', 'student at demo, harbor, heritage'],
  ['ben@demo.test', 'student at demo'],
])

export interface DemoOptions {
  readonly port: number
  readonly keyring: Keyring
}

/** There are schools already; the demo world is made only in an empty database. */
export class DatabaseNotEmpty extends Error {
  override readonly name = 'DatabaseNotEmpty'
}

/**
 * Fills an empty database with three schools, their people and everything they do, in one
 * transaction.
 */
export async function createDemoWorld(db: Db, options: DemoOptions): Promise<void> {
  const made = await createDemoWorldIfEmpty(db, options)
  if (!made) {
    throw new DatabaseNotEmpty(
      'The demo world was not made: this database already has schools. ' +
        'Use an empty database, or another SCHOOLGATE_DATA_DIR.',
    )
  }
}

/** For a server's start: false if there are schools, or if another process just made them. */
export async function createDemoWorldIfEmpty(db: Db, options: DemoOptions): Promise<boolean> {
  if (await hasSchools(db)) return false
  const passwordHash = await hashPassword(DEMO_PASSWORD)
  return db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    if (await hasSchools(tx)) return false
    const clock = new DemoClock(await databaseTime(tx))
    const people = readPeople(clock).map((person) =>
      ACCOUNTS.has(person.email) ? { ...person, passwordHash } : person,
    )
    await addKnownPeople(tx, people)
    for (const school of demoSchools) await makeSchool(tx, school, clock, options)
    return true
  })
}

async function makeSchool(
  tx: Transaction<DB>,
  school: DemoSchool,
  clock: DemoClock,
  { port, keyring }: DemoOptions,
): Promise<void> {
  const { appearance, keyStage, ...details } = school
  const origin = originOf(school, port)
  const userId = demoId('person/owner')
  const owner: Actor = { via: 'setup', userId, roles: ['owner'], origin }
  const given = {
    ...details,
    origin,
    contact_email: `hello@${school.subdomain}.test`,
    // Client metadata documents from this machine, for experiments.
    document_hosts: ['127.0.0.1', 'localhost'],
  }
  await createSchool(tx, given, owner, schoolId(school))
  const at = atSchoolInTransaction(tx, schoolId(school))
  await runWrite(changeAppearance, at, owner, checkInput(changeAppearance, appearance))
  if (keyStage !== 'none') {
    // Three days ago, so that every cache of the JWKS has it and it can be activated at once.
    const { kid } = await addSigningKey(at, keyring, clock.read('-3d'))
    const activate = activateKey(keyring)
    if (keyStage === 'active') await runWrite(activate, at, owner, checkInput(activate, { kid }))
  }
  for (const { clientId, name, scopes, secret } of clientsOf(school)) {
    const application = {
      client_id: clientId,
      name,
      scopes,
      redirect_uris: demoRedirectUris,
      confidential: secret !== undefined,
    }
    await runWrite(createApplication, at, owner, checkInput(createApplication, application))
    if (secret !== undefined) await setKnownSecret(at, clientId, secret)
  }
  await importSchool(at, owner, school, clock)
}

/** Moves the demo schools to another port; true if any origin changed. */
export function moveDemoOrigins(db: Db, port: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    let moved = false
    for (const school of demoSchools) {
      moved = (await moveLocalOrigin(tx, schoolId(school), originOf(school, port))) || moved
    }
    return moved
  })
}

/**
 * Whether Demo Academy is served at this port. By its id and not only its origin: a first school of
 * the operator at localhost must not get the demo world's banner, mails in the log and documents
 * from this machine.
 */
export async function hasDemoWorld(db: Db, port: number): Promise<boolean> {
  const found = await db
    .selectFrom('schools')
    .select('id')
    .where('id', '=', schoolId(demoAcademy))
    .where('origin', '=', originOf(demoAcademy, port))
    .executeTakeFirst()
  return found !== undefined
}

/** What a new user needs to know, as data; the caller prints it. */
export interface DemoGuide {
  readonly password: string
  readonly schools: readonly {
    readonly name: string
    readonly origin: string
    readonly note: string
    readonly clients: readonly DemoClient[]
  }[]
  readonly people: readonly { readonly email: string; readonly roles: string }[]
  readonly redirectUris: readonly string[]
  readonly next: readonly { readonly text: string; readonly url: string }[]
}

export function describeDemoWorld(port: number): DemoGuide {
  const [first] = demoSchools
  if (first === undefined) throw new Error('the demo world has no school')
  const home = originOf(first, port)
  return {
    password: DEMO_PASSWORD,
    schools: demoSchools.map((school) => ({
      name: school.name,
      origin: originOf(school, port),
      note: noteOn(school),
      clients: clientsOf(school),
    })),
    people: [...ACCOUNTS].map(([email, roles]) => ({ email, roles })),
    redirectUris: demoRedirectUris,
    next: [
      { text: 'Sign in as ada@demo.test and look around', url: `${home}/sign-in` },
      { text: 'Run the school as owner@demo.test', url: `${home}/admin` },
      { text: 'Start an integration', url: `${home}/docs` },
      {
        text: 'See what clients discover',
        url: `${home}/.well-known/oauth-authorization-server`,
      },
      { text: 'Add this school to an MCP client', url: `${home}/mcp` },
    ],
  }
}

function noteOn({ variant, keyStage, mcp_connections }: DemoSchool): string {
  const tokens = {
    active: 'ID tokens signed',
    published: 'keys published, signing not started',
    none: 'no ID tokens',
  }[keyStage]
  return `${variant} variant, ${tokens}, MCP connections ${mcp_connections ? 'on' : 'off'}`
}
