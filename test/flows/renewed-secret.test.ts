import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { endOldSecret, rotateSecret } from '../../src/domain/clients/application-operations.ts'
import { verifies } from '../spec/verifies.ts'
import { type Answer, hiddenFields } from '../support/browser-like.ts'
import { aPair, exchange, postForm, refresh, revoke } from '../support/client-like.ts'
import { aCode, auditOf } from '../support/oauth-world.ts'
import { aBetaSchool, anOwner, submit } from '../support/operator-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { sharedWorld, type TestClient, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
/** Older origins have introspection as well. */
const school = await world.aSchool({ variant: 'older' })
const newer = await world.aSchool()
const ada = await world.aMember(school)
await world.aMember(newer, ['student'], ada)

async function renew(client: TestClient, end_old = false, at = school): Promise<TestClient> {
  const input = { client_id: client.clientId, end_old }
  const { client_secret: secret } = outputOf(await performByCommandLine(at, rotateSecret, input))
  return { ...client, secret }
}

/** What is left of the old secret's day, moved by the database's clock. */
async function expireOldSecret({ clientId }: TestClient, at: TestSchool = school): Promise<void> {
  await at.db
    .update('clients')
    .set({ old_secret_expires_at: sql<Date>`now() - interval '1 s'` })
    .where('client_id', '=', clientId)
    .execute()
}

const introspect = (client: TestClient, token: string) =>
  postForm(world, school, '/api/oauth/introspect', {
    token,
    client_id: client.clientId,
    client_secret: client.secret,
  })

/** The status of every endpoint that takes a secret, for a client with this secret. */
async function statusesWith(client: TestClient, working: TestClient): Promise<number[]> {
  const { code, pkce } = await aCode(world, school, working, ada)
  const pair = await aPair(world, school, working, ada)
  const answers: Answer[] = [
    await exchange(world, school, client, code, pkce.verifier),
    await refresh(world, school, client, pair.refresh_token),
    await introspect(client, pair.access_token),
    await introspect(client, 'unknown'),
    await revoke(world, school, client, 'unknown'),
    await revoke(world, school, client, pair.refresh_token),
  ]
  return answers.map(({ statusCode }) => statusCode)
}

const ACCEPTED = [200, 200, 200, 200, 200, 200]
const REFUSED = [401, 401, 401, 401, 403, 403]

describe('a renewed secret', () => {
  verifies(
    'client.secret.renewed',
    'is accepted beside the old one at token, revocation and introspection, for 24 hours',
    async () => {
      const old = await world.aConfidentialClient(school)
      const renewed = await renew(old)
      expect(await statusesWith(old, renewed)).toEqual(ACCEPTED)
      expect(await statusesWith(renewed, renewed)).toEqual(ACCEPTED)
      const row = await school.db
        .from('clients')
        .select(sql<number>`extract(epoch from old_secret_expires_at - secret_rotated_at)`.as('s'))
        .where('client_id', '=', old.clientId)
        .executeTakeFirstOrThrow()
      expect(Number(row.s)).toBe(24 * 60 * 60)
      await expireOldSecret(old)
      expect(await statusesWith(old, renewed)).toEqual(REFUSED)
      expect(await statusesWith(renewed, renewed)).toEqual(ACCEPTED)
    },
  )

  verifies(
    'client.secret.old-ended',
    'is the only one as soon as an operator ends the old one, later or with the renewal',
    async () => {
      const first = await world.aConfidentialClient(school)
      const second = await renew(first)
      const end = () => performByCommandLine(school, endOldSecret, { client_id: first.clientId })
      expect(outputOf(await end())).toMatchObject({ changed: true })
      expect(outputOf(await end())).toMatchObject({ changed: false })
      expect(await statusesWith(first, second)).toEqual(REFUSED)
      const third = await renew(second, true)
      expect(await statusesWith(second, third)).toEqual(REFUSED)
      expect(await statusesWith(third, third)).toEqual(ACCEPTED)
    },
  )

  verifies(
    'client.secret.two-at-most',
    'ends the oldest: never more than two are accepted',
    async () => {
      const first = await world.aConfidentialClient(school)
      const second = await renew(first)
      const third = await renew(second)
      expect(await statusesWith(first, third)).toEqual(REFUSED)
      expect(await statusesWith(second, third)).toEqual(ACCEPTED)
      const fourth = await renew(third)
      expect(await statusesWith(second, fourth)).toEqual(REFUSED)
      expect(await statusesWith(third, fourth)).toEqual(ACCEPTED)
    },
  )

  verifies(
    'client.secret.audit-says-which',
    'or the old one: the audit says which was used',
    async () => {
      const old = await world.aConfidentialClient(school)
      const use = async (client: TestClient) => {
        const pair = await aPair(world, school, client, ada)
        const child = (await refresh(world, school, client, pair.refresh_token)).json()
        await revoke(world, school, client, pair.access_token)
        await revoke(world, school, client, child.refresh_token)
      }
      const told = async (client: TestClient) =>
        (await auditOf(school, () => use(client)))
          .filter(({ action }) => action.startsWith('token.'))
          .map(({ action, detail }) => [action, (detail as Record<string, string>).client_secret])
          // Without a renewal, only the first refresh of a day has an entry.
          .filter(([action, which]) => action !== 'token.refreshed' || which !== undefined)
      const all = (which: string | undefined) => [
        ['token.issued', which],
        ...(which === undefined ? [] : [['token.refreshed', which]]),
        ['token.revoked', which],
        ['token.revoked', which],
      ]
      expect(await told(old)).toEqual(all(undefined))
      const renewed = await renew(old)
      expect(await told(old)).toEqual(all('old'))
      expect(await told(renewed)).toEqual(all('new'))
      await performByCommandLine(school, endOldSecret, { client_id: old.clientId })
      expect(await told(renewed)).toEqual(all(undefined))
    },
  )

  test('does not make a missing, an empty or another secret right', async () => {
    const old = await world.aConfidentialClient(school)
    const renewed = await renew(old)
    const other = await renew(await world.aConfidentialClient(school))
    const pair = await aPair(world, school, renewed, ada)
    const hash = await school.db
      .from('clients')
      .select('old_secret_hash')
      .where('client_id', '=', old.clientId)
      .executeTakeFirstOrThrow()
    const hashAsSecret = hash.old_secret_hash?.toString('hex')
    for (const secret of [undefined, ' ', other.secret, `${old.secret} `, hashAsSecret]) {
      const client = { ...old, secret }
      const answer = await refresh(world, school, client, pair.refresh_token)
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
    }
  })

  test('of one school is no secret at another, nor is the old one', async () => {
    const old = await world.aConfidentialClient(newer)
    const renewed = await renew(old, false, newer)
    for (const client of [old, renewed]) {
      const answer = await revoke(world, school, client, 'unknown')
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
    }
  })
})

describe('the page of an application', () => {
  const APPS = '/admin/developers/applications'

  verifies(
    'pages.applications.secret-renewed',
    'shows the new secret once, says until when the old one works, and ends it on request',
    async () => {
      const at = await aBetaSchool(world)
      const client = await world.aConfidentialClient(at)
      const pair = await aPair(world, at, client, await world.aMember(at))
      const owner = await anOwner(world, at)
      const page = `${APPS}/${client.clientId}`
      const before = await owner.get(page)
      expect(before.body).not.toContain('End the old secret now')
      expect(before.body).not.toContain(`action="${page}/secret"`)
      expect((await owner.get(`${page}/old-secret`)).statusCode).toBe(303)
      const shown = await owner.follow(await submit(owner, `${page}/renew`, `${page}/secret`))
      const secret = /sg_cs_[\w-]+/.exec(shown.body)?.[0]
      expect(shown.body).toMatch(/The old secret works until <time/)
      const after = await owner.get(page)
      expect(after.body).toContain('Two secrets work at the moment')
      expect(after.body).toMatch(
        /The old one works until <time[^>]*>[^<]*<\/time>, in (23|24) hours/,
      )
      expect(after.body).toContain(`href="${page}/old-secret"`)
      expect(after.body).not.toContain(secret)
      expect((await refresh(world, at, client, pair.refresh_token)).statusCode).toBe(200)
      const entries = await auditOf(at, async () => {
        const ended = await submit(owner, `${page}/old-secret`, `${page}/old-secret`)
        expect((await owner.follow(ended)).body).toContain('The app can use only the newest secret')
      })
      expect(entries.map(({ action }) => action)).toEqual(['client.secret_ended'])
      expect((await refresh(world, at, client, pair.refresh_token)).statusCode).toBe(401)
      const renewed = { ...client, secret }
      expect((await refresh(world, at, renewed, pair.refresh_token)).statusCode).toBe(200)
    },
  )

  test('ends a leaked secret with the renewal, if the box is ticked', async () => {
    const at = await aBetaSchool(world)
    const client = await world.aConfidentialClient(at)
    const pair = await aPair(world, at, client, await world.aMember(at))
    const owner = await anOwner(world, at)
    const page = `${APPS}/${client.clientId}`
    const done = await submit(owner, `${page}/renew`, `${page}/secret`, { end_old: 'yes' })
    expect((await owner.follow(done)).body).toContain('The old secret no longer works')
    expect((await refresh(world, at, client, pair.refresh_token)).statusCode).toBe(401)
  })

  test('of another school ends no secret there', async () => {
    const [at, elsewhere] = [await aBetaSchool(world), await aBetaSchool(world)]
    const client = await world.aConfidentialClient(at)
    await renew(client, false, at)
    const intruder = await anOwner(world, elsewhere)
    const { form_token = '' } = hiddenFields((await intruder.get(APPS)).body, '/sign-out')
    const answer = await intruder.post(`${APPS}/${client.clientId}/old-secret`, { form_token })
    expect(answer.statusCode).toBe(404)
    expect((await revoke(world, at, client, 'unknown')).statusCode).toBe(200)
  })
})
