import { sql } from 'kysely'
import {
  changeApplication,
  deleteApplication,
} from '../../src/domain/clients/application-operations.ts'
import { changeTool, createTool, deleteTool } from '../../src/domain/clients/tool-operations.ts'
import { endAuthorization } from '../../src/domain/grants/authorizations.ts'
import { authenticateBearer, checkOfBearer } from '../../src/domain/grants/caller.ts'
import { deletePerson } from '../../src/domain/people/deletion/delete-person.ts'
import {
  changeMember,
  createMember,
  removeMember,
} from '../../src/domain/people/member-operations.ts'
import { confirmedBy, type SchoolDb } from '../../src/foundation/db/school-db.ts'
import { OAuthError } from '../../src/foundation/protocol/errors.ts'
import { parseToken } from '../../src/foundation/protocol/token-format.ts'
import { type Answer, aPkce, authorizeAs, type Pkce } from '../support/browser-like.ts'
import { exchange, refresh, revoke, userinfo } from '../support/client-like.ts'
import { anIssuedCode } from '../support/issued-code.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { CALLBACK, type TestClient, type TestSchool, type World } from '../support/world.ts'
import type { ClientKind, Participants, RealClient } from './participants.ts'
import { at, type ModelCode, type Role, type State } from './reference-model.ts'

/** What answers the clients' requests. */
export interface Servers {
  /** The one that answers a request of a story, by its place among them. */
  forRequest(place: number): World
  /**
   * Sends a request while connections to the database break, in one of some ways; resolves once all
   * is well again.
   */
  disturbed(way: number, request: () => Promise<Answer>): Promise<Answer>
  /** Whether people agree on the pages always, or only as often as needed to try those. */
  readonly pages: 'always' | 'sometimes'
}

interface IssuedTokens {
  readonly id: string
  /** Empty if the answer was lost. */
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

function codeOf(error: unknown): string {
  if (error instanceof OAuthError) return error.code
  throw error
}

/** Runs the steps on the server. Its lists have what stands at the same place in the model. */
export class RealServer {
  readonly schools: readonly [TestSchool, TestSchool]
  readonly #participants: Participants
  readonly #world: World
  readonly #servers: Servers
  readonly #clients: RealClient[] = []
  readonly #codes: { value: string; verifier: string; id: string }[] = []
  readonly #aged = new Set<number>()
  readonly #authorizations: string[] = []
  readonly #pairs: IssuedTokens[] = []
  readonly #writes: SchoolDb[] = []
  /** By the clock of the database. Earlier authorizations belong to other stories. */
  #begunAt = ''
  /** How many requests of clients were sent. */
  requests = 0

  constructor(participants: Participants, servers = onlyOne(participants.world)) {
    this.#participants = participants
    this.#world = participants.world
    this.#servers = servers
    this.schools = participants.schools
  }

  async begin(): Promise<void> {
    await this.#participants.begin()
    const { rows } = await this.#world.database.pool.query<{ now: string }>(
      'select clock_timestamp()::text as now',
    )
    this.#begunAt = must(rows[0]).now
  }

  disturbed(way: number, request: () => Promise<Answer>): Promise<Answer> {
    return this.#servers.disturbed(way, request)
  }

  #next(): World {
    return this.#servers.forRequest(this.requests++)
  }

  async addClient(school: TestSchool, kind: ClientKind, scopes: readonly string[]): Promise<void> {
    const options = { scopes: [...scopes] }
    const make = {
      confidential: () => this.#world.aConfidentialClient(school, options),
      public: () => this.#world.aPublicClient(school, options),
      tool: () => this.#aTool(school, options.scopes),
    }[kind]
    const client = await this.#participants.client(this.#clients.length, async () => ({
      school,
      kind,
      real: await make(),
    }))
    this.#clients.push(client)
  }

  async #aTool(school: TestSchool, scopes: string[]): Promise<TestClient> {
    const slug = `tool-${crypto.randomUUID()}`
    const input = { slug, name: 'A tool', redirect_uris: [CALLBACK], scopes }
    const { client_id: clientId } = outputOf(await performByCommandLine(school, createTool, input))
    return { clientId, secret: undefined, redirectUri: CALLBACK }
  }

  /** On the pages, or by the function behind them, which costs a tenth and leaves the same code. */
  async consent(code: ModelCode, isPageTried: boolean): Promise<void> {
    const pkce = aPkce()
    const onPages = isPageTried || this.#servers.pages === 'always'
    const value = await (onPages ? this.#agreeOnPages(code, pkce) : this.#agree(code, pkce))
    const id = parseToken('code', value)?.id
    if (id === undefined) throw new Error(`no code: ${value}`)
    this.#codes.push({ value, verifier: pkce.verifier, id })
  }

  async #agreeOnPages(code: ModelCode, pkce: Pkce): Promise<string> {
    const { school, real } = at(this.#clients, code.client)
    const { person, visitor } = at(this.#participants.members, code.member)
    const scope = code.scopes.join(' ')
    const callback = await authorizeAs(this.#world, school, real, person, { visitor, pkce, scope })
    return callback.get('code') ?? String(callback)
  }

  #agree({ client, member, audience, scopes }: ModelCode, pkce: Pkce): Promise<string> {
    const { school, real } = at(this.#clients, client)
    return anIssuedCode(school.db, {
      clientId: real.clientId,
      userId: at(this.#participants.members, member).person.id,
      audience,
      scopes,
      resource: school.origin,
      redirectUri: real.redirectUri,
      codeChallenge: pkce.challenge,
      // The database tells apart microseconds: a role given in this millisecond is older than the
      // code.
      allowedAt: new Date(Date.now() + 1),
    })
  }

  async exchange(client: number, code: number): Promise<Answer> {
    const { school, real } = at(this.#clients, client)
    const { id, value, verifier } = at(this.#codes, code)
    // On a slow machine ten seconds pass by themselves.
    if (!this.#aged.has(code)) await this.#setUse(id, 0)
    return await exchange(this.#next(), school, real, value, verifier)
  }

  async refresh(client: number, pair: number, scopes?: readonly string[]): Promise<Answer> {
    const { school, real } = at(this.#clients, client)
    const token = at(this.#pairs, pair).refresh
    return await refresh(this.#next(), school, real, token, { scope: scopes?.join(' ') })
  }

  async use(school: TestSchool, pair: number): Promise<Answer> {
    return await userinfo(this.#next(), school, at(this.#pairs, pair).access)
  }

  /** What a surface does at the head of a request that writes. */
  async beginWrite(school: TestSchool, pair: number): Promise<string> {
    this.requests++
    try {
      const caller = await authenticateBearer(school.db, at(this.#pairs, pair).access)
      this.#writes.push(confirmedBy(school.db, checkOfBearer(caller)))
      return 'ok'
    } catch (error) {
      return codeOf(error)
    }
  }

  /** The transaction of that write. */
  async finishWrite(place: number): Promise<string> {
    this.requests++
    try {
      await at(this.#writes, place).transaction(async (tx) => tx.run(sql`select 1`))
      return 'ok'
    } catch (error) {
      return codeOf(error)
    }
  }

  async revoke(client: number, pair: number, by: 'access' | 'refresh'): Promise<Answer> {
    const { school, real } = at(this.#clients, client)
    return await revoke(this.#next(), school, real, at(this.#pairs, pair)[by])
  }

  async end(member: number, authorization: number): Promise<void> {
    const { school, person } = at(this.#participants.members, member)
    await endAuthorization(school.db, at(this.#authorizations, authorization), person.id)
  }

  async deleteClient(client: number): Promise<void> {
    const { school, kind, real } = at(this.#clients, client)
    this.#participants.forgetClient(client)
    if (kind === 'tool') {
      outputOf(await performByCommandLine(school, deleteTool, { slug: slugOf(real) }))
    } else {
      const input = { client_id: real.clientId }
      outputOf(await performByCommandLine(school, deleteApplication, input))
    }
  }

  async changeScopes(client: number, held: readonly string[]): Promise<void> {
    const { school, kind, real } = at(this.#clients, client)
    this.#participants.forgetClient(client)
    const scopes = [...held]
    if (kind === 'tool') {
      outputOf(await performByCommandLine(school, changeTool, { slug: slugOf(real), scopes }))
    } else {
      const input = { client_id: real.clientId, scopes }
      outputOf(await performByCommandLine(school, changeApplication, input))
    }
  }

  async changeRole(member: number, before: Role, after: Role): Promise<void> {
    const { school, person } = at(this.#participants.members, member)
    this.#participants.markRoleChanged(member)
    const { id, email, name } = person
    if (after === 'none') {
      outputOf(await performByCommandLine(school, removeMember, { id }))
    } else if (before === 'none') {
      outputOf(await performByCommandLine(school, createMember, { email, name, roles: [after] }))
    } else {
      outputOf(await performByCommandLine(school, changeMember, { id, roles: [after] }))
    }
  }

  isDeleted(member: number): boolean {
    return this.#participants.isDeleted(member)
  }

  async deletePerson(member: number): Promise<void> {
    const { id } = at(this.#participants.members, member).person
    this.#participants.markDeleted(member)
    await this.#world.database.db
      .transaction()
      .execute((tx) => deletePerson(tx, id, { force: true }, { via: 'command_line' }))
  }

  async expire(pair: number, which: 'access' | 'refresh'): Promise<void> {
    await this.#world.database.db
      .updateTable('token_pairs')
      .set({ [`${which}_expires_at`]: new Date(Date.now() - 1000) })
      .where('id', '=', at(this.#pairs, pair).id)
      .execute()
  }

  async ageUse(code: number): Promise<void> {
    this.#aged.add(code)
    await this.#setUse(at(this.#codes, code).id, 11)
  }

  async #setUse(id: string, secondsAgo: number): Promise<void> {
    await sql`
      update authorization_codes set consumed_at = now() - make_interval(secs => ${secondsAgo})
      where id = ${id} and consumed_at is not null`.execute(this.#world.database.db)
  }

  async expireCode(code: number): Promise<void> {
    await this.#world.database.db
      .updateTable('authorization_codes')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', at(this.#codes, code).id)
      .execute()
  }

  /** Remembers the tokens of a new pair of the model, from the server's answer. */
  minted(pair: number, answer: Answer): void {
    const { access_token: access, refresh_token } = answer.json()
    const id = parseToken('access', access)?.id
    if (id === undefined) throw new Error(`no access token: ${answer.body}`)
    this.#pairs[pair] = { id, access, refresh: refresh_token }
  }

  /** The row of a pair that the server made, but whose tokens no answer brought. */
  mintedUnseen(pair: number, id: string): void {
    this.#pairs[pair] = { id, access: '', refresh: '' }
  }

  /** Rows that belong to no pair of the model yet. */
  async unknownRows(): Promise<readonly string[]> {
    const known = new Set(this.#pairs.map(({ id }) => id))
    return Object.keys(await this.rows()).filter((id) => !known.has(id))
  }

  /** Every pair of this story as stored in the database; reading rows does not use a token. */
  async rows(): Promise<Rows> {
    const { rows } = await this.#world.database.pipelines.run<PairRow>(PAIRS, [
      this.schools.map(({ id }) => id),
      this.#clients.map(({ real }) => real.clientId),
      this.#begunAt,
    ])
    return Object.fromEntries(
      rows.map(({ id, parent, ...row }) => [id, { ...row, parent: parent ?? undefined }]),
    )
  }

  /**
   * The same, according to the model; a new authorization is the one that the first of its pairs
   * has.
   */
  expectedRows({ pairs, authorizations }: State, rows: Rows): Rows {
    return Object.fromEntries(
      pairs.map((pair, place) => {
        const { id } = at(this.#pairs, place)
        const { authorization: group, parent } = pair
        this.#authorizations[group] ??= rows[id]?.authorization ?? 'none'
        const expected = {
          authorization: at(this.#authorizations, group),
          parent: parent === undefined ? undefined : at(this.#pairs, parent).id,
          scopes: pair.scopes.join(' '),
          used: pair.used,
          live: !pair.revoked && !at(authorizations, group).ended,
        }
        return [id, expected]
      }),
    )
  }
}

function onlyOne(world: World): Servers {
  return { forRequest: () => world, disturbed: (_, request) => request(), pages: 'always' }
}

function slugOf({ clientId }: TestClient): string {
  return clientId.replace(/^.*\/clients\//, '').replace(/\.json$/, '')
}

/** After every step, so it is not composed anew each time. */
const PAIRS = `
  select p.id, p.authorization_id as "authorization", p.previous_id as parent,
    array_to_string(p.scopes, ' ') as scopes, p.first_used_at is not null as used,
    p.revoked_at is null and a.revoked_at is null as live
  from authorizations a join token_pairs p on p.authorization_id = a.id
  where a.school_id = any($1) and a.client_id = any($2) and a.created_at >= $3`

interface PairRow extends Omit<PairState, 'parent'> {
  readonly id: string
  readonly parent: string | null
}

/** By the pair's id. */
type Rows = Readonly<Record<string, PairState>>

interface PairState {
  readonly authorization: string
  readonly parent: string | undefined
  readonly scopes: string
  readonly used: boolean
  readonly live: boolean
}

export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the server gave no such value')
  return value
}
