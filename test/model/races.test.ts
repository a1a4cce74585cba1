import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteApplication } from '../../src/domain/clients/application-operations.ts'
import {
  endAuthorization,
  endAuthorizationsOfClient,
  endAuthorizationsOfPerson,
} from '../../src/domain/grants/authorizations.ts'
import { verifies } from '../spec/verifies.ts'
import { type Answer, aPkce, Visitor } from '../support/browser-like.ts'
import { exchange, type Pair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { anIssuedCode } from '../support/issued-code.ts'
import { aCode, ageUse, codeIdOf, isLive, pairIdOf, pairRow } from '../support/oauth-world.ts'
import { performByCommandLine } from '../support/performing.ts'
import { whileRowHeld } from '../support/row-lock.ts'
import { aWorld } from '../support/world.ts'
import { effort, timeout } from './effort.ts'

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)
const visitor = new Visitor(world, school)

const times = <T>(many: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: many }, work))
const statuses = (answers: readonly Answer[]) => answers.map(({ statusCode }) => statusCode)
const newCode = (app = client) => aCode(world, school, app, ada, { visitor })
const refreshed = (pair: Pair): Promise<Answer> =>
  refresh(world, school, client, pair.refresh_token)
const used = (pair: Pair): Promise<Answer> => userinfo(world, school, pair.access_token)

/** A pair without the consent page, because these tests need hundreds. */
async function newPair(app = client, person = ada): Promise<Pair> {
  const pkce = aPkce()
  const code = await anIssuedCode(school.db, {
    clientId: app.clientId,
    userId: person.id,
    resource: school.origin,
    redirectUri: app.redirectUri,
    codeChallenge: pkce.challenge,
  })
  return (await exchange(world, school, app, code, pkce.verifier)).json()
}

/** A trigger records each write of revoked_at, and whether the pair was revoked before. */
beforeAll(async () => {
  await sql`create table flips (pair_id uuid not null, again boolean not null)`.execute(
    world.database.db,
  )
  await sql`
    create function note_flip() returns trigger language plpgsql as $$
    begin
      insert into flips values (new.id, old.revoked_at is not null);
      return null;
    end $$`.execute(world.database.db)
  await sql`
    create trigger note_flip after update of revoked_at on token_pairs for each row
    execute function note_flip()`.execute(world.database.db)
})

async function flipsOf(pair: Pair): Promise<readonly boolean[]> {
  const { rows } = await sql<{ again: boolean }>`
    select again from flips where pair_id = ${pairIdOf(pair)}`.execute(world.database.db)
  return rows.map(({ again }) => again)
}

describe('one code', () => {
  verifies(
    ['token.code.single-use', 'token.code.replay-ends-authorization', 'trouble.check-then-update'],
    'of fifty simultaneous exchanges exactly one succeeds and keeps its tokens, until the code comes again later',
    async () => {
      const { code, pkce } = await newCode()
      const answers = await times(50, () => exchange(world, school, client, code, pkce.verifier))
      const won = answers.filter(({ statusCode }) => statusCode === 200)
      const lost = answers.filter(({ statusCode }) => statusCode !== 200)
      expect(won).toHaveLength(1)
      for (const answer of lost) {
        expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant'])
      }
      const made = await school.db
        .from('authorizations')
        .select('revoked_at')
        .where('code_id', '=', codeIdOf(code))
        .execute()
      expect(made).toEqual([{ revoked_at: null }])
      await ageUse(world, code)
      await times(10, () => exchange(world, school, client, code, pkce.verifier))
      for (const pair of won.map((answer): Pair => answer.json())) {
        expect((await used(pair)).statusCode).toBe(401)
        expect((await refreshed(pair)).json().error).toBe('invalid_grant')
      }
    },
    timeout,
  )

  test(
    'fifty attempts with a wrong verifier revoke nothing, and the client with the right one succeeds',
    async () => {
      const { code, pkce } = await newCode()
      const wrong = 'w'.repeat(43)
      const [own, ...guesses] = await Promise.all([
        exchange(world, school, client, code, pkce.verifier),
        ...Array.from({ length: 50 }, () => exchange(world, school, client, code, wrong)),
      ])
      expect(new Set(statuses(guesses))).toEqual(new Set([400]))
      expect(await isLive(world, own.json())).toBe(true)
    },
    timeout,
  )
})

describe('one refresh token', () => {
  verifies(
    [
      'trouble.parallel-refresh-errors',
      'trouble.two-processes-kill-family',
      'trouble.shared-refresh-token',
      'pair.refresh.siblings',
      'pair.refresh.first-use-retires-old',
    ],
    'fifty simultaneous refreshes all succeed, and the first uses of all fifty revoke the parent once',
    async () => {
      for (let round = 0; round < 10 * effort; round++) {
        const parent = await newPair()
        const answers = await times(50, () => refreshed(parent))
        expect(new Set(statuses(answers))).toEqual(new Set([200]))
        const children: Pair[] = answers.map((answer) => answer.json())
        expect(new Set(children.map(pairIdOf)).size).toBe(50)
        expect(await isLive(world, parent)).toBe(true)

        expect(new Set(statuses(await Promise.all(children.map(used))))).toEqual(new Set([200]))
        expect(await flipsOf(parent)).toEqual([false])
        const alive = await Promise.all(children.map((child) => isLive(world, child)))
        expect(new Set(alive)).toEqual(new Set([true]))
      }
    },
    timeout,
  )

  test('one new access token used fifty times at once is served every time and counted once', async () => {
    const parent = await newPair()
    const child: Pair = (await refreshed(parent)).json()
    expect(new Set(statuses(await times(50, () => used(child))))).toEqual(new Set([200]))
    expect(await flipsOf(parent)).toEqual([false])
  })
})

verifies(
  'trouble.refresh-lock',
  'a refresh does not wait for a transaction that holds the pair and its authorization',
  async () => {
    const parent = await newPair()
    await world.database.db.transaction().execute(async (tx) => {
      await sql`
        select from token_pairs p join authorizations a on a.id = p.authorization_id
        where p.id = ${pairIdOf(parent)} for no key update`.execute(tx)
      expect((await refreshed(parent)).statusCode).toBe(200)
    })
  },
)

describe('races', () => {
  verifies(
    ['pair.end-authorization.at-once', 'trouble.refresh-races-revoke'],
    'no pair of a concurrent refresh stays live after its authorization ends',
    async () => {
      for (let round = 0; round < 40 * effort; round++) {
        const parent = await newPair()
        const { authorization_id } = await pairRow(world, parent)
        const [before, , after] = await Promise.all([
          times(3, () => refreshed(parent)),
          endAuthorization(school.db, authorization_id),
          times(3, () => refreshed(parent)),
        ])
        const minted = [...before, ...after].filter(({ statusCode }) => statusCode === 200)
        for (const pair of [parent, ...minted.map((answer): Pair => answer.json())]) {
          expect((await used(pair)).statusCode).toBe(401)
        }
        expect((await refreshed(parent)).json().error).toBe('invalid_grant')
      }
    },
    timeout,
  )

  test(
    'a refresh during the revocation of its pair is refused or gives a pair that stays live',
    async () => {
      for (let round = 0; round < 12 * effort; round++) {
        const parent = await newPair()
        const [answers, revoked] = await Promise.all([
          times(3, () => refreshed(parent)),
          revoke(world, school, client, parent.refresh_token),
        ])
        expect(revoked.statusCode).toBe(200)
        expect(await isLive(world, parent)).toBe(false)
        for (const answer of answers) {
          if (answer.statusCode === 200) expect((await used(answer.json())).statusCode).toBe(200)
          else expect(answer.json().error).toBe('invalid_grant')
        }
      }
    },
    timeout,
  )

  test(
    'an unused child is revoked and first used at once: parent and child end revoked',
    async () => {
      for (let round = 0; round < 12 * effort; round++) {
        const parent = await newPair()
        const child: Pair = (await refreshed(parent)).json()
        const [use, revoked] = await Promise.all([
          used(child),
          revoke(world, school, client, child.refresh_token),
        ])
        expect([200, 401]).toContain(use.statusCode)
        expect(revoked.statusCode).toBe(200)
        expect([await isLive(world, parent), await isLive(world, child)]).toEqual([false, false])
      }
    },
    timeout,
  )

  verifies(
    ['pair.concurrent.no-deadlock', 'pair.first-use.retires-ancestors'],
    'grandparent, parent and child are first used at once: only the child stays live, without a deadlock',
    async () => {
      for (let round = 0; round < 12 * effort; round++) {
        const eldest = await newPair()
        const middle: Pair = (await refreshed(eldest)).json()
        const youngest: Pair = (await refreshed(middle)).json()
        const family = [eldest, middle, youngest]
        const order = round % 2 === 0 ? family : family.toReversed()
        const answers = await Promise.all(order.map(used))
        for (const answer of answers) expect([200, 401]).toContain(answer.statusCode)
        const alive = await Promise.all(family.map((pair) => isLive(world, pair)))
        expect(alive).toEqual([false, false, true])
        for (const pair of [eldest, middle]) expect(await flipsOf(pair)).toEqual([false])
      }
    },
    timeout,
  )

  verifies(
    'pair.concurrent.no-deadlock',
    'twenty unused generations are used and revoked at once without a deadlock',
    async () => {
      for (let round = 0; round < 10 * effort; round++) {
        const line: Pair[] = []
        for (let next = await newPair(); line.length < 20; next = (await refreshed(next)).json()) {
          line.push(next)
        }
        const answers = await Promise.all(
          line.flatMap((pair, age) => [
            used(pair),
            ...(age % 3 === 0 ? [revoke(world, school, client, pair.refresh_token)] : []),
          ]),
        )
        for (const { statusCode } of answers) expect([200, 401]).toContain(statusCode)
        const alive = await Promise.all(line.map((pair) => isLive(world, pair)))
        expect(alive).toEqual(line.map((_, age) => age === 19))
      }
    },
    timeout,
  )

  verifies(
    'pair.concurrent.no-deadlock',
    'first use and revocation lock the authorization before any pair, so they cannot deadlock',
    async () => {
      const parent = await newPair()
      const child: Pair = (await refreshed(parent)).json()
      const { authorization_id } = await pairRow(world, parent)
      const answers = await whileRowHeld(
        world.database.connection,
        {
          lock: 'select from authorizations where id = $1 for no key update',
          id: authorization_id,
        },
        () => Promise.all([used(child), revoke(world, school, client, child.refresh_token)]),
        async (waiting, holder) => {
          await waiting(2)
          const { rowCount } = await holder.query(
            'select from token_pairs where authorization_id = $1 for update nowait',
            [authorization_id],
          )
          expect(rowCount).toBe(2)
        },
      )
      for (const { statusCode } of answers) expect([200, 401]).toContain(statusCode)
    },
  )

  test(
    'an exchange during the deletion of its client leaves no live pair',
    async () => {
      for (let round = 0; round < 10 * effort; round++) {
        const app = await world.aPublicClient(school)
        const { code, pkce } = await newCode(app)
        const [answer] = await Promise.all([
          exchange(world, school, app, code, pkce.verifier),
          performByCommandLine(school, deleteApplication, { client_id: app.clientId }),
        ])
        expect([200, 400, 401]).toContain(answer.statusCode)
        const rows = await school.db
          .from('authorizations')
          .select('revoked_at')
          .where('client_id', '=', app.clientId)
          .execute()
        expect(rows).toEqual(answer.statusCode === 200 ? [{ revoked_at: expect.any(Date) }] : [])
      }
    },
    timeout,
  )

  verifies(
    ['pair.person-deleted.ends-tokens', 'pair.concurrent.no-deadlock'],
    'authorizations that end by client and by person at once end without a deadlock',
    async () => {
      for (let round = 0; round < 10 * effort; round++) {
        const app = await world.aPublicClient(school)
        const person = await world.aMember(school)
        const pairs = await times(5, () => newPair(app, person))
        const [one, other] = await Promise.all([
          endAuthorizationsOfClient(school.db, app.clientId, 1_000),
          endAuthorizationsOfPerson(world.database.db, person.id),
          ...pairs.map(used),
          ...pairs.map(refreshed),
        ])
        expect((one ?? 0) + other.length).toBeGreaterThan(0)
        for (const pair of pairs) expect(await isLive(world, pair)).toBe(false)
      }
    },
    timeout,
  )
})
