import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type pg from 'pg'
import type { DestinationStream } from 'pino'
import { buildApp } from '../../src/app.ts'
import type { SchoolVariant } from '../../src/domain/schools/school.ts'
import { SchoolDirectory } from '../../src/domain/schools/school-directory.ts'
import { SIGNING_KEY_PURPOSE } from '../../src/domain/schools/signing.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { generateEs256Key } from '../../src/foundation/crypto/es256.ts'
import { hashPassword } from '../../src/foundation/crypto/password.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { Keyring, seal } from '../../src/foundation/crypto/seal.ts'
import type { DatabaseSettings } from '../../src/foundation/db/database.ts'
import { atSchool, type SchoolDb } from '../../src/foundation/db/school-db.ts'
import { type TrustProxy, trustNoProxy } from '../../src/foundation/http/client-address.ts'
import { createLogger } from '../../src/foundation/http/logging.ts'
import type { RequestObserver } from '../../src/foundation/http/observe-requests.ts'
import type { LineSettings } from '../../src/foundation/http/request-line.ts'
import type { Tracing } from '../../src/foundation/tracing/tracing.ts'
import type { AppContext } from '../../src/gate/context.ts'
import { DEFAULT_LIMITS } from '../../src/surfaces/member-api/documents/limits.ts'
import { keptForWorker, whenFileIsDone } from './clean-up.ts'
import { type TestDatabase, testDatabase } from './database.ts'

export const PASSWORD = 'correct horse battery'
export const CALLBACK = 'http://127.0.0.1/callback'

export interface TestSchool {
  readonly id: string
  readonly origin: string
  readonly subdomain: string
  readonly db: SchoolDb
}

export interface TestPerson {
  readonly id: string
  readonly email: string
  readonly name: string
  /** If it differs from the password that the other people of this test file share. */
  readonly password?: string
}

export interface TestClient {
  readonly clientId: string
  readonly secret: string | undefined
  readonly redirectUri: string
}

interface ClientOptions {
  readonly scopes?: string[]
  readonly redirectUris?: string[]
  readonly postLogoutRedirectUris?: string[]
  readonly name?: string
}

export const ring = new Keyring('a secret for tests that is long enough to be one')
/**
 * Argon2 is slow on purpose, at every sign-in. Most tests ask nothing about that, so their people
 * have a hash that is cheap to check.
 */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 } as const
const hashes: { cheap?: Promise<string>; real?: Promise<string> } = {}

/** The real application with a database of this test file, and functions that fill it. */
export class World {
  readonly app: FastifyInstance
  readonly database: TestDatabase
  readonly context: AppContext
  readonly #realHashes: boolean

  constructor(
    app: FastifyInstance,
    database: TestDatabase,
    context: AppContext,
    realHashes = false,
  ) {
    this.#realHashes = realHashes
    this.app = app
    this.database = database
    this.context = context
  }

  async aSchool(
    options: {
      variant?: SchoolVariant
      signing?: 'active' | 'published' | 'none'
      openRegistration?: boolean
      mcpConnections?: boolean
      documentHosts?: string[]
      endAuthorizationOnReplay?: boolean
      signUp?: boolean
      invitesPeople?: boolean
    } = {},
  ): Promise<TestSchool> {
    const id = uuidv7()
    const subdomain = `s${randomBytes(5).toString('hex')}`
    const origin = `http://${subdomain}.test`
    await this.database.db
      .insertInto('schools')
      .values({
        id,
        subdomain,
        origin,
        name: `School ${subdomain}`,
        variant: options.variant ?? 'newer',
        open_registration: options.openRegistration ?? false,
        mcp_connections: options.mcpConnections ?? false,
        document_hosts: options.documentHosts ?? [],
        end_authorization_on_replay: options.endAuthorizationOnReplay ?? false,
        sign_up: options.signUp ?? false,
        invites_people: options.invitesPeople ?? false,
      })
      .execute()
    const db = atSchool(this.database.db, id)
    const signing = options.signing ?? 'active'
    if (signing !== 'none') await this.#aKey(db, signing)
    this.context.directory.forget()
    return { id, origin, subdomain, db }
  }

  /** An existing school, such as one of the demo world. */
  async theSchoolAt(origin: string): Promise<TestSchool> {
    const { id, subdomain } = await this.database.db
      .selectFrom('schools')
      .select(['id', 'subdomain'])
      .where('origin', '=', origin)
      .executeTakeFirstOrThrow()
    this.context.directory.forget()
    return { id, origin, subdomain, db: atSchool(this.database.db, id) }
  }

  async #aKey(db: SchoolDb, stage: 'active' | 'published'): Promise<void> {
    const { kid, publicJwk, privateKey } = generateEs256Key()
    await db
      .insert('signing_keys', {
        kid,
        stage,
        public_jwk: JSON.stringify(publicJwk),
        sealed_private_key: seal(ring.key(SIGNING_KEY_PURPOSE), privateKey, db.schoolId),
        activated_at: stage === 'active' ? new Date() : null,
      })
      .execute()
  }

  async aPerson(): Promise<TestPerson> {
    if (this.#realHashes) hashes.real ??= hashPassword(PASSWORD)
    else hashes.cheap ??= hash(PASSWORD, CHEAP)
    const id = uuidv7()
    const email = `p${randomBytes(5).toString('hex')}@people.test`
    await this.database.db
      .insertInto('users')
      .values({
        id,
        email,
        name: `Person ${email.slice(0, 6)}`,
        avatar_url: '/assets/mark.svg',
        password_hash: await (this.#realHashes ? hashes.real : hashes.cheap),
      })
      .execute()
    return { id, email, name: `Person ${email.slice(0, 6)}` }
  }

  /** A person who has signed in at the school before. */
  async aMember(
    school: TestSchool,
    roles: readonly string[] = ['student'],
    person?: TestPerson,
  ): Promise<TestPerson> {
    const who = person ?? (await this.aPerson())
    await school.db
      .insert('school_members', { user_id: who.id, roles: [...roles], signed_in_at: new Date() })
      .execute()
    return who
  }

  async aPublicClient(school: TestSchool, options: ClientOptions = {}): Promise<TestClient> {
    return await this.#aClient(school, undefined, options)
  }

  async aConfidentialClient(school: TestSchool, options: ClientOptions = {}): Promise<TestClient> {
    return await this.#aClient(school, randomBytes(16).toString('hex'), options)
  }

  async #aClient(
    school: TestSchool,
    secret: string | undefined,
    options: ClientOptions,
  ): Promise<TestClient> {
    const clientId = `c${randomBytes(6).toString('hex')}`
    const redirectUris = options.redirectUris ?? [CALLBACK]
    await school.db
      .insert('clients', {
        client_id: clientId,
        kind: 'application',
        audience: 'member',
        name: options.name ?? `App ${clientId}`,
        confidential: secret !== undefined,
        secret_hash: secret === undefined ? null : sha256(secret),
        redirect_uris: redirectUris,
        post_logout_redirect_uris: options.postLogoutRedirectUris ?? [],
        scopes: options.scopes ?? ['openid', 'profile', 'email', 'account:read', 'account:write'],
      })
      .execute()
    return { clientId, secret, redirectUri: redirectUris[0] ?? CALLBACK }
  }
}

export interface WorldOptions extends Partial<Omit<AppContext, 'limits'>> {
  /** A migrated database to use instead of a new one. */
  readonly connection?: pg.ClientConfig
  /** How its database is opened. */
  readonly databaseSettings?: Partial<DatabaseSettings>
  readonly limits?: Partial<AppContext['limits']>
  readonly trust?: TrustProxy
  readonly log?: DestinationStream
  readonly observers?: readonly RequestObserver[]
  readonly tracing?: Tracing
  readonly onRoute?: (route: RouteOptions) => void
  /** The clock that decides when the school directory reads a school again. */
  readonly now?: () => number
  /** Passwords of people cost as much as in an installation. */
  readonly realHashes?: boolean
  /**
   * How requests wait while there are too many. Without it, none does: a test may be late for other
   * reasons.
   */
  readonly line?: Partial<LineSettings>
}

let shared: Promise<World> | undefined

/**
 * The world that the test files of a worker share, because a new one costs half a second of CPU. It
 * also has the schools and people of other files: it is for tests that look only at what they made,
 * and count nothing of the installation.
 */
export async function sharedWorld(): Promise<World> {
  shared ??= keptForWorker(() => aWorld())
  const world = await shared
  // Wrong passwords of another file, from the same address, are no reason to refuse one here.
  await world.database.db.deleteFrom('sign_in_throttles').execute()
  return world
}

/** A world of its own for this test file. */
export async function aWorld(options: WorldOptions = {}): Promise<World> {
  const {
    connection,
    databaseSettings,
    limits,
    trust,
    log,
    observers,
    tracing,
    onRoute,
    now,
    realHashes,
    line = { turnMs: Number.POSITIVE_INFINITY, isCrowded: () => false },
    ...overrides
  } = options
  const database = await testDatabase(connection, databaseSettings)
  if (tracing !== undefined) database.onStatement(tracing.statements)
  const context: AppContext = {
    db: database.db,
    directory: new SchoolDirectory(database.db, now),
    keyring: ring,
    loopbackDocuments: false,
    documentHosts: [],
    limits: {
      tokenPerSecond: 1000,
      registrationPerMinute: 1000,
      documentPerMinute: 1000,
      toolCallsPerMinute: 10_000,
      apiCallsPerMinute: 100_000,
      uploadBytes: 1_000_000,
      formBodyBytes: 64 * 1024,
      jsonBodyBytes: 1024 * 1024,
      graphqlDepth: DEFAULT_LIMITS.depth,
      graphqlCost: DEFAULT_LIMITS.cost,
      memberCostPerMinute: 900_000_000,
      newsMailsPerDay: 1000,
      ...limits,
    },
    ...overrides,
  }
  const app = buildApp({
    context,
    logger:
      log === undefined
        ? createLogger({ level: process.env.TEST_LOG_LEVEL ?? 'silent' })
        : createLogger({ level: 'trace', destination: log }),
    trust: trust ?? trustNoProxy,
    readiness: async () => [],
    observers: observers ?? [],
    tracing,
    line,
  })
  if (onRoute !== undefined) app.addHook('onRoute', onRoute)
  await app.ready()
  whenFileIsDone(() => app.close())
  return new World(app, database, context, realHashes)
}
