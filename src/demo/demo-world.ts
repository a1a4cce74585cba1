import type { Transaction } from 'kysely'
import { renderMissing } from '../domain/content/rendered-texts.ts'
import { hasSchools, lockEmptyInstallation } from '../domain/setup/first-school.ts'
import { hashPassword } from '../foundation/crypto/password.ts'
import type { Keyring } from '../foundation/crypto/seal.ts'
import type { Db } from '../foundation/db/database.ts'
import type { DB } from '../foundation/db/schema.generated.ts'
import { databaseTime } from '../foundation/db/sql-values.ts'
import { addClients, clientsOf, type DemoClient, demoRedirectUris } from './clients.ts'
import { demoAcademy } from './content/demo-academy.ts'
import type { MemberStory, SchoolContent } from './content/school-content.ts'
import { addCatalogue, addCourses } from './courses.ts'
import { DemoClock } from './demo-clock.ts'
import { addComments, addEnrollments, addLearningDays } from './enrollments.ts'
import { addMeetings, addServices, addStudyGroups } from './meetings.ts'
import {
  addMembers,
  addPeople,
  addProductAccesses,
  addSubscriptions,
  classmateStories,
  DEMO_PASSWORD,
  emailOf,
  namedPeople,
  rolesAt,
} from './people.ts'
import {
  addEvents,
  addNotificationSubscriptions,
  addNotifications,
  addPublications,
  addRegistrations,
} from './publications.ts'
import { addPurchases } from './purchases.ts'
import { RowSet } from './row-set.ts'
import { addSchool, addSigningKey, demoSchools, originOf } from './schools.ts'
import { type Stage, schoolId } from './stage.ts'

export interface DemoOptions {
  readonly port: number
  readonly keyring: Keyring
}

/** There are schools already; the demo world is made only in an empty database. */
export class DatabaseNotEmpty extends Error {
  override readonly name = 'DatabaseNotEmpty'
}

/**
 * Fills an empty database with three schools, their people and everything they do. It writes every
 * folder's tables directly, in one transaction.
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
export async function createDemoWorldIfEmpty(
  db: Db,
  { port, keyring }: DemoOptions,
): Promise<boolean> {
  if (await hasSchools(db)) return false
  const passwordHash = await hashPassword(DEMO_PASSWORD)
  return db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    if (await hasSchools(tx)) return false
    const now = await databaseTime(tx)
    await gatherDemoRows({ now, port, keyring, passwordHash }).insert(tx)
    await renderMissing(tx)
    return true
  })
}

/**
 * Moves the demo schools to another port; true if any origin changed. A school with https or with
 * another host is in real use by now and is not moved, and neither is one whose new origin belongs
 * to another school.
 */
export function moveDemoOrigins(db: Db, port: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockEmptyInstallation(tx)
    let moved = false
    for (const school of demoSchools) moved = (await moveOrigin(tx, school, port)) || moved
    return moved
  })
}

async function moveOrigin(
  tx: Transaction<DB>,
  school: SchoolContent,
  port: number,
): Promise<boolean> {
  const origin = originOf(school, port)
  const { hostname } = new URL(origin)
  const { numUpdatedRows } = await tx
    .updateTable('schools')
    .set({ origin })
    .where('id', '=', schoolId(school))
    .where('origin', '~', `^http://${hostname.replaceAll('.', '[.]')}(:[0-9]+)?$`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('schools as other').where('other.origin', '=', origin))),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
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
    people: namedPeople.map(({ key }) => ({ email: emailOf(key), roles: rolesOf(key) })),
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

function noteOn({ variant, keyStage, mcpConnections }: SchoolContent): string {
  const tokens = {
    active: 'ID tokens signed',
    published: 'keys published, signing not started',
    none: 'no ID tokens',
  }[keyStage]
  return `${variant} variant, ${tokens}, MCP connections ${mcpConnections ? 'on' : 'off'}`
}

/** Such as `student at demo, harbor, heritage`. */
function rolesOf(key: string): string {
  const schools = demoSchools.filter((school) => rolesAt(school).has(key))
  const roles = new Set(schools.flatMap((school) => rolesAt(school).get(key) ?? []))
  return `${[...roles].join(', ')} at ${schools.map((school) => school.key).join(', ')}`
}

interface Making {
  readonly now: Date
  readonly port: number
  readonly keyring: Keyring
  readonly passwordHash: string
}

/**
 * All rows of the demo world. Only times, signing keys and the password hash differ between two
 * runs.
 */
export function gatherDemoRows({ now, port, keyring, passwordHash }: Making): RowSet {
  const clock = new DemoClock(now)
  const rows = new RowSet()
  addPeople(rows, clock, passwordHash)
  for (const school of demoSchools) {
    const stage: Stage = { school, schoolId: schoolId(school), clock, rows }
    addSchool(stage, port)
    addSigningKey(stage, keyring)
    addSchoolLife(stage)
  }
  return rows
}

/** Everything that happens at a school. */
function addSchoolLife(stage: Stage): void {
  addMembers(stage)
  addClients(stage)
  addCourses(stage)
  addComments(stage)
  addCatalogue(stage)
  addEvents(stage)
  addServices(stage)
  addStudyGroups(stage)
  addMeetings(stage)
  addPublications(stage)
  for (const story of stage.school.members) {
    addStory(stage, story)
    addNotificationSubscriptions(stage, story)
  }
  for (const story of classmateStories(stage.school)) addStory(stage, story)
}

function addStory(stage: Stage, story: MemberStory): void {
  const { who } = story
  const learned = addEnrollments(stage, who, story.enrollments ?? [])
  if (story.enrollments !== undefined) addLearningDays(stage, who, learned)
  addProductAccesses(stage, who, story.products ?? [])
  addRegistrations(stage, who, story.registrations ?? [])
  addSubscriptions(stage, who, story.subscriptions ?? [])
  addPurchases(stage, who, story.purchases)
  addNotifications(stage, who, story.notifications)
}
