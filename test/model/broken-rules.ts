import { sql } from 'kysely'
import { exchangeCode } from '../../src/domain/grants/exchange-code.ts'
import type { ExchangeRequest } from '../../src/domain/grants/exchange-rules.ts'
import type { RefreshRequest } from '../../src/domain/grants/refresh-rules.ts'
import type { School } from '../../src/domain/schools/school.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { mintToken, parseToken } from '../../src/foundation/protocol/token-format.ts'
import { aPkce } from '../support/browser-like.ts'
import { anIssuedCode } from '../support/issued-code.ts'
import type { TestClient, TestPerson, TestSchool, World } from '../support/world.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A request that breaks no rule, with its rows in the database. */
export interface Scene<Request> {
  readonly world: World
  readonly school: TestSchool
  readonly client: TestClient
  readonly person: TestPerson
  readonly request: Mutable<Request>
}

export type ExchangeScene = Scene<ExchangeRequest>
export type RefreshScene = Scene<RefreshRequest>

/** The ways to break one rule without breaking an earlier rule of the list. */
type Way<S> = (scene: S) => unknown
export type Ways<S> = Readonly<Record<string, readonly [Way<S>, ...Way<S>[]]>>

export async function anExchange(
  world: World,
  school: TestSchool,
  asSeen: School,
): Promise<ExchangeScene> {
  const client = await world.aPublicClient(school)
  const person = await world.aMember(school)
  const pkce = aPkce()
  const code = await anIssuedCode(school.db, {
    clientId: client.clientId,
    userId: person.id,
    resource: school.origin,
    redirectUri: client.redirectUri,
    codeChallenge: pkce.challenge,
    authenticatedAt: new Date(0),
  })
  const request: ExchangeRequest = {
    school: asSeen,
    clientId: client.clientId,
    clientSecret: undefined,
    resource: [school.origin],
    requestId: 'a request',
    code,
    redirectUri: client.redirectUri,
    codeVerifier: pkce.verifier,
  }
  return { world, school, client, person, request }
}

export async function aRefresh(
  world: World,
  school: TestSchool,
  asSeen: School,
): Promise<RefreshScene> {
  const scene = await anExchange(world, school, asSeen)
  const outcome = await exchangeCode(school.db, scene.request)
  if (outcome.kind === 'refused') throw outcome.error
  const refreshToken = outcome.granted.pair.tokens.refresh.value
  return { ...scene, request: { ...scene.request, refreshToken, scope: undefined } }
}

type AnyScene = Scene<ExchangeRequest | RefreshRequest>

const clientColumn = (column: string) => (scene: AnyScene) =>
  scene.school.db
    .update('clients')
    .set({ [column]: new Date(0) })
    .where('client_id', '=', scene.client.clientId)
    .execute()

const sharedWays = {
  'the client is switched on': [clientColumn('disabled_at'), clientColumn('platform_disabled_at')],
  'the client is known here': [
    clientColumn('deleted_at'),
    ({ request }) => {
      request.clientId = 'unknown'
    },
  ],
  'the secret is the one that the client has, or both have none': [
    ({ request }) => {
      request.clientSecret = 'unexpected'
    },
    ({ school, client }) =>
      school.db
        .update('clients')
        .set({ confidential: true, secret_hash: sha256('expected') })
        .where('client_id', '=', client.clientId)
        .execute(),
  ],
  "a member's grant repeats its resource": [
    ({ request }) => {
      request.resource = []
    },
  ],
  'every resource names this origin': [
    ({ request }) => {
      request.resource = ['http://elsewhere.test']
    },
  ],
  'the application still holds a scope of what was authorized': [
    ({ school, client }) =>
      school.db
        .update('clients')
        .set({ scopes: ['email', 'profile'] })
        .where('client_id', '=', client.clientId)
        .execute(),
  ],
  'the person exists and holds the role that the grant needs': [
    ({ school, person }) =>
      school.db
        .update('school_members')
        .set({ roles: [] })
        .where('user_id', '=', person.id)
        .execute(),
    ({ world, person }) =>
      sql`update users set email = null, password_hash = null, deleted_at = now()
        where id = ${person.id}`.execute(world.database.db),
  ],
} as const satisfies Ways<AnyScene>

const changePair = (change: string) => (scene: RefreshScene) =>
  sql`update token_pairs set ${sql.raw(change)}
    where id = ${idOf('refresh', scene.request.refreshToken)}`.execute(scene.world.database.db)

const changeAuthorization = (change: string) => (scene: RefreshScene) =>
  sql`update authorizations set ${sql.raw(change)} where id = (
    select authorization_id from token_pairs
    where id = ${idOf('refresh', scene.request.refreshToken)})`.execute(scene.world.database.db)

export const REFRESH_WAYS: Ways<RefreshScene> = {
  ...sharedWays,
  'refresh_token is sent': [
    ({ request }) => {
      request.refreshToken = undefined
    },
  ],
  'the refresh token has the form of ours': [
    ({ request }) => {
      request.refreshToken = 'garbage'
    },
  ],
  'the refresh token was issued to this client at this school': [
    changePair(`refresh_hash = decode(repeat('00', 32), 'hex')`),
    async (scene) => {
      const { clientId } = await scene.world.aPublicClient(scene.school)
      await changeAuthorization(`client_id = '${clientId}'`)(scene)
    },
    ({ request }) => {
      request.refreshToken = mintToken('refresh', '00000000-0000-7000-8000-000000000000').value
    },
  ],
  'neither the pair nor its authorization is revoked': [
    changePair('revoked_at = now()'),
    changeAuthorization('revoked_at = now()'),
  ],
  'the refresh token has not expired': [changePair(`refresh_expires_at = now() - interval '1 s'`)],
  'the scope names at least one scope, if it is sent': [
    ({ request }) => {
      request.scope = ' '
    },
    ({ request }) => {
      request.scope = 'open"id'
    },
  ],
  'the scope is no wider than what was granted': [
    ({ request }) => {
      request.scope = 'openid email'
    },
  ],
  'the application still holds a scope that is asked for': [
    async ({ school, client, request }) => {
      request.scope = 'account:read'
      await school.db
        .update('clients')
        .set({ scopes: ['openid'] })
        .where('client_id', '=', client.clientId)
        .execute()
    },
  ],
  'the authorization is bound to a person': [changeAuthorization('user_id = null')],
}

const changeCode = (change: string) => (scene: ExchangeScene) =>
  sql`update authorization_codes set ${sql.raw(change)}
    where id = ${idOf('code', scene.request.code)}`.execute(scene.world.database.db)

export const EXCHANGE_WAYS: Ways<ExchangeScene> = {
  ...sharedWays,
  'code is sent': [
    ({ request }) => {
      request.code = undefined
    },
  ],
  'redirect_uri is sent': [
    ({ request }) => {
      request.redirectUri = undefined
    },
  ],
  'code_verifier is sent': [
    ({ request }) => {
      request.codeVerifier = undefined
    },
  ],
  'the code has the form of ours': [
    ({ request }) => {
      request.code = 'garbage'
    },
  ],
  'the code was issued to this client at this school': [
    changeCode(`hash = decode(repeat('00', 32), 'hex')`),
    async (scene) => {
      const { clientId } = await scene.world.aPublicClient(scene.school)
      await changeCode(`client_id = '${clientId}'`)(scene)
    },
    ({ request }) => {
      request.code = mintToken('code', '00000000-0000-7000-8000-000000000000').value
    },
  ],
  'the redirect URI is the very string of the authorization request': [
    ({ request }) => {
      request.redirectUri = 'http://127.0.0.1/other'
    },
  ],
  'the verifier answers the challenge': [
    ({ request }) => {
      request.codeVerifier = 'a'.repeat(43)
    },
    ({ request }) => {
      request.codeVerifier = 'short'
    },
  ],
  'the code was not used': [
    changeCode(`consumed_at = now(), pair_id = '00000000-0000-7000-8000-000000000000'`),
  ],
  'the code has not expired': [changeCode(`expires_at = now() - interval '1 s'`)],
}

function idOf(kind: 'code' | 'refresh', token: string | undefined): string | undefined {
  return parseToken(kind, token ?? '')?.id
}
