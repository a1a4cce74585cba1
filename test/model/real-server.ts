import {
  changeApplication,
  deleteApplication,
} from '../../src/domain/clients/applications/application-operations.ts'
import { endAuthorization } from '../../src/domain/grants/authorizations.ts'
import { type Role, setRoles } from '../../src/domain/people/membership.ts'
import { parseToken } from '../../src/foundation/protocol/token-format.ts'
import { type Answer, aPkce, authorizeAs, Visitor } from '../support/browser-like.ts'
import { exchange, refresh, revoke, userinfo } from '../support/client-like.ts'
import { performByCommandLine } from '../support/performing.ts'
import type { TestClient, TestPerson, TestSchool, World } from '../support/world.ts'
import type {
  ModelAuthorization,
  ModelClient,
  ModelCode,
  ModelMember,
  ModelPair,
  ReferenceModel,
} from './reference-model.ts'

interface Held<R> {
  readonly school: TestSchool
  readonly real: R
}

/** Two schools and their members. Made once, because sign-in is slow on purpose. */
export interface Participants {
  readonly world: World
  readonly schools: readonly [TestSchool, TestSchool]
  readonly members: readonly Participant[]
}

export interface Participant {
  readonly person: TestPerson
  readonly school: TestSchool
  readonly visitor: Visitor
}

export async function makeParticipants(world: World): Promise<Participants> {
  const schools = [await world.aSchool(), await world.aSchool({ variant: 'older' })] as const
  const [first, second] = schools
  const ada = await world.aMember(first)
  await world.aMember(second, ['student'], ada)
  const ben = await world.aMember(first, ['lecturer'])
  const cleo = await world.aMember(second)
  const member = (person: TestPerson, school: TestSchool): Participant => ({
    person,
    school,
    visitor: new Visitor(world, school),
  })
  const members = [
    member(ada, first),
    member(ben, first),
    member(ada, second),
    member(cleo, second),
  ]
  return { world, schools, members }
}

export interface IssuedTokens {
  readonly id: string
  readonly access: string
  readonly refresh: string
}

/** `ok` or the OAuth error code; anything else if the status does not fit the code. */
export function outcomeOf(answer: Answer): string {
  if (answer.statusCode === 200) return 'ok'
  const error = String(answer.json().error)
  const status = error === 'invalid_client' || error === 'invalid_token' ? 401 : 400
  return answer.statusCode === status ? error : `${answer.statusCode} ${answer.body}`
}

/** Runs the steps on the server, and maps the objects of the model to tokens, codes and rows. */
export class RealServer {
  readonly world: World
  readonly schools: readonly [TestSchool, TestSchool]
  readonly #clients = new Map<ModelClient, Held<TestClient>>()
  readonly #members = new Map<ModelMember, Participant>()
  readonly #codes = new Map<ModelCode, { value: string; verifier: string; id: string }>()
  readonly #authorizations = new Map<ModelAuthorization, string>()
  readonly #pairs = new Map<ModelPair, IssuedTokens>()

  constructor(participants: Participants) {
    this.world = participants.world
    this.schools = participants.schools
  }

  async addClient(client: ModelClient, school: TestSchool, confidential: boolean): Promise<void> {
    const real = confidential
      ? await this.world.aConfidentialClient(school)
      : await this.world.aPublicClient(school)
    this.#clients.set(client, { school, real })
  }

  async addMember(member: ModelMember, participant: Participant): Promise<void> {
    this.#members.set(member, participant)
    await this.changeRole(member)
  }

  async consent(code: ModelCode): Promise<void> {
    const { school, real } = this.#client(code.client)
    const { person, visitor } = must(this.#members.get(code.member))
    const pkce = aPkce()
    const scope = code.scopes.join(' ')
    const callback = await authorizeAs(this.world, school, real, person, { visitor, pkce, scope })
    const value = must(callback.get('code'))
    const id = must(parseToken('code', value)).id
    this.#codes.set(code, { value, verifier: pkce.verifier, id })
  }

  async exchange(code: ModelCode): Promise<Answer> {
    const { school, real } = this.#client(code.client)
    const { value, verifier } = must(this.#codes.get(code))
    return await exchange(this.world, school, real, value, verifier)
  }

  async refresh(pair: ModelPair, scopes?: readonly string[], as = pair.authorization.client) {
    const { school, real } = this.#client(as)
    const scope = scopes?.join(' ')
    return await refresh(this.world, school, real, this.tokens(pair).refresh, { scope })
  }

  async use(pair: ModelPair, school = this.#client(pair.authorization.client).school) {
    return await userinfo(this.world, school, this.tokens(pair).access)
  }

  async revoke(pair: ModelPair, by: 'access' | 'refresh', as = pair.authorization.client) {
    const { school, real } = this.#client(as)
    return await revoke(this.world, school, real, this.tokens(pair)[by])
  }

  async end(authorization: ModelAuthorization): Promise<void> {
    const { school, person } = must(this.#members.get(authorization.member))
    await endAuthorization(school.at, this.#authorization(authorization), person.id)
  }

  async deleteClient(client: ModelClient): Promise<void> {
    const { school, real } = this.#client(client)
    // A story may delete a client twice; the second time is refused and changes nothing.
    await performByCommandLine(school, deleteApplication, { client_id: real.clientId })
  }

  async changeScopes(client: ModelClient): Promise<void> {
    const { school, real } = this.#client(client)
    const input = { client_id: real.clientId, scopes: [...client.scopes] }
    await performByCommandLine(school, changeApplication, input)
  }

  /** Gives or removes the member's role in the database, as in the model. */
  async changeRole(member: ModelMember): Promise<void> {
    const { school, person } = must(this.#members.get(member))
    const roles: Role[] = member.hasRole ? ['student'] : []
    await setRoles(school.at, person.id, roles)
  }

  async expire(pair: ModelPair, which: 'access' | 'refresh'): Promise<void> {
    await this.world.database.db
      .updateTable('token_pairs')
      .set({ [`${which}_expires_at`]: new Date(Date.now() - 1000) })
      .where('id', '=', this.tokens(pair).id)
      .execute()
  }

  async expireCode(code: ModelCode): Promise<void> {
    await this.world.database.db
      .updateTable('authorization_codes')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', must(this.#codes.get(code)).id)
      .execute()
  }

  /** Remembers the tokens and row of a new pair of the model, from the server's answer. */
  async minted(pair: ModelPair, answer: Answer): Promise<void> {
    const { access_token: access, refresh_token } = answer.json()
    const id = must(parseToken('access', access)).id
    this.#pairs.set(pair, { id, access, refresh: refresh_token })
    if (!this.#authorizations.has(pair.authorization)) {
      const row = await this.world.database.db
        .selectFrom('token_pairs')
        .select('authorization_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      this.#authorizations.set(pair.authorization, row.authorization_id)
    }
  }

  tokens(pair: ModelPair): IssuedTokens {
    return must(this.#pairs.get(pair))
  }

  /** Every pair of this story as stored in the database; reading rows does not use a token. */
  async rows(): Promise<Record<string, PairState>> {
    const clients = [...this.#clients.values()].map(({ real }) => real.clientId)
    const rows = await this.world.database.db
      .selectFrom('token_pairs as p')
      .innerJoin('authorizations as a', 'a.id', 'p.authorization_id')
      .where('a.client_id', 'in', clients)
      .select(['p.id', 'p.authorization_id', 'p.previous_id', 'p.scopes', 'p.first_used_at'])
      .select(['p.revoked_at', 'a.revoked_at as ended_at'])
      .execute()
    return Object.fromEntries(
      rows.map((row) => [
        row.id,
        {
          authorization: row.authorization_id,
          parent: row.previous_id ?? undefined,
          scopes: row.scopes.join(' '),
          used: row.first_used_at !== null,
          live: row.revoked_at === null && row.ended_at === null,
        },
      ]),
    )
  }

  /** The same, according to the model. */
  expectedRows(model: ReferenceModel): Record<string, PairState> {
    return Object.fromEntries(
      model.pairs.map((pair) => [
        this.tokens(pair).id,
        {
          authorization: this.#authorization(pair.authorization),
          parent: pair.parent === undefined ? undefined : this.tokens(pair.parent).id,
          scopes: pair.scopes.join(' '),
          used: pair.used,
          live: !pair.revoked && !pair.authorization.ended,
        },
      ]),
    )
  }

  #client(client: ModelClient): Held<TestClient> {
    return must(this.#clients.get(client))
  }

  #authorization(authorization: ModelAuthorization): string {
    return must(this.#authorizations.get(authorization))
  }
}

export interface PairState {
  readonly authorization: string
  readonly parent: string | undefined
  readonly scopes: string
  readonly used: boolean
  readonly live: boolean
}

export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw new Error('the object has no counterpart on the server')
  return value
}
