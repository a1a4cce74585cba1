import { afterEach, describe, expect, test, vi } from 'vitest'
import { record } from '../../src/domain/audit/audit.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, postForm, refresh, revoke, userinfo } from '../support/client-like.ts'
import { aCode, auditOf, pairRow } from '../support/oauth-world.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

/** The day of a refresh is that of the server's clock. */
const NOON = Date.UTC(2030, 0, 1, 12)
const HOUR = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

describe('what an operator can read in the audit', () => {
  verifies(
    'house.audit.events',
    'grant, the first refresh of a day, replay and revocation, each with client, person and authorization',
    async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: NOON - 24 * HOUR })
      const pair = await aPair(world, school, client, ada)
      const { authorization_id } = await pairRow(world, pair)
      const rows = await auditOf(school, async () => {
        vi.setSystemTime(NOON)
        const first = (await refresh(world, school, client, pair.refresh_token)).json()
        vi.setSystemTime(NOON + HOUR)
        const young = (await refresh(world, school, client, first.refresh_token)).json()
        await userinfo(world, school, young.access_token)
        await refresh(world, school, client, first.refresh_token)
        await revoke(world, school, client, young.refresh_token)
      })
      expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
        'token.refreshed ok',
        'token.replayed invalid_grant',
        'token.refused invalid_grant',
        'token.revoked ok',
      ])
      for (const row of rows) {
        expect(row.client_id).toBe(client.clientId)
        expect([row.actor_user_id, row.authorization_id]).toEqual([ada.id, authorization_id])
      }
    },
  )

  test('a consent and the exchange of its code', async () => {
    let pair: Awaited<ReturnType<typeof aPair>> | undefined
    const rows = await auditOf(school, async () => {
      pair = await aPair(world, school, client, ada)
    })
    expect(rows.map(({ action }) => action)).toEqual(['authorization.granted', 'token.issued'])
    if (pair === undefined) throw new Error('no pair')
    expect(rows[1]).toMatchObject({
      outcome: 'ok',
      client_id: client.clientId,
      actor_user_id: ada.id,
      authorization_id: (await pairRow(world, pair)).authorization_id,
    })
  })

  test('no row holds a token, a code, a verifier or a secret', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    const { code, pkce } = await aCode(world, school, keeper, ada)
    const rows = await auditOf(school, async () => {
      await exchange(world, school, keeper, code, 'z'.repeat(43))
      const pair = (await exchange(world, school, keeper, code, pkce.verifier)).json()
      vi.setSystemTime(NOON + 24 * HOUR)
      await refresh(world, school, keeper, pair.refresh_token, { scope: 'courses:read' })
      await revoke(world, school, keeper, pair.refresh_token)
      await refresh(world, school, keeper, pair.refresh_token)
    })
    expect(rows.length).toBeGreaterThan(3)
    const text = JSON.stringify(rows)
    expect(text).not.toMatch(/sg_(at|rt|ac)_/)
    for (const secret of [pkce.verifier, keeper.secret ?? '', 'zzzzz']) {
      expect(text).not.toContain(secret)
    }
  })

  verifies('house.audit.append-only', 'rows can be added, not changed or removed', async () => {
    await aPair(world, school, client, ada)
    await expect(
      school.db.update('audit_entries').set({ outcome: 'forged' }).execute(),
    ).rejects.toThrow('append-only')
    await expect(school.db.delete('audit_entries').execute()).rejects.toThrow('append-only')
  })

  verifies('house.audit.append-only', 'only the count of repetitions can grow', async () => {
    const id = await record(school.db, {
      ...{ action: 'token.refused', outcome: 'invalid_grant' },
      detail: { description: 'a reason' },
    })
    const set = (detail: object, more: { readonly outcome?: string } = {}) =>
      school.db
        .update('audit_entries')
        .set({ detail: JSON.stringify(detail), ...more })
        .where('id', '=', id)
        .execute()
    const description = 'a reason'
    await set({ description, repeated: 3 })
    await set({ description, repeated: 20 })
    for (const forged of [
      { description, repeated: 19 },
      { description, repeated: '21' },
      { description, repeated: { times: 21 } },
      { description: 'another', repeated: 21 },
      { repeated: 21 },
      { description },
    ]) {
      await expect(set(forged), JSON.stringify(forged)).rejects.toThrow('append-only')
    }
    await expect(set({ description, repeated: 21 }, { outcome: 'ok' })).rejects.toThrow(
      'append-only',
    )
  })
})

describe('refusals', () => {
  verifies(
    'house.audit.after-proof',
    'are recorded after a confidential client is authenticated, and not before',
    async () => {
      // One of its own: the same refusal of one client is one entry.
      const keeper = await world.aConfidentialClient(school)
      const { code, pkce } = await aCode(world, school, keeper, ada)
      const unproven = await auditOf(school, async () => {
        const wrong = { client_secret: 'wrong' }
        const missing = { client_secret: undefined }
        await exchange(world, school, keeper, code, pkce.verifier, wrong)
        await exchange(world, school, keeper, code, pkce.verifier, missing)
        await refresh(world, school, keeper, 'garbage', wrong)
        await revoke(world, school, keeper, 'garbage', missing)
        await exchange(world, school, keeper, code, pkce.verifier, { client_id: 'unknown' })
        await postForm(world, school, '/api/oauth/token', 'grant_type=x')
        await postForm(world, school, '/api/oauth/register', { client_name: 'x' })
        await userinfo(world, school, 'garbage')
      })
      expect(unproven).toEqual([])
      const proven = await auditOf(school, async () => {
        await exchange(world, school, keeper, 'garbage', pkce.verifier)
        await exchange(world, school, keeper, code, pkce.verifier, { code_verifier: undefined })
        await exchange(world, school, keeper, code, 'x'.repeat(43))
        await refresh(world, school, keeper, 'garbage')
        await revoke(world, school, keeper, 'x', { token: undefined })
      })
      expect(proven.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
        'token.refused invalid_grant',
        'token.refused invalid_request',
        'token.refused invalid_grant',
        'token.refused invalid_grant',
        'token.refused invalid_request',
      ])
      for (const { client_id, detail } of proven) {
        expect(client_id).toBe(keeper.clientId)
        expect(detail).toEqual({ description: expect.stringMatching(/\S/) })
      }
    },
  )

  test('of a public client are recorded only with a genuine code or token: its client_id proves nothing', async () => {
    const { code, pkce } = await aCode(world, school, client, ada)
    const pair = await aPair(world, school, client, ada)
    const flood = await auditOf(school, async () => {
      for (let time = 0; time < 5; time++) {
        await exchange(world, school, client, `garbage${time}`, pkce.verifier)
        await refresh(world, school, client, `garbage${time}`)
        await revoke(world, school, client, 'x', { token: undefined })
      }
    })
    expect(flood).toEqual([])
    const genuine = await auditOf(school, async () => {
      await exchange(world, school, client, code, 'x'.repeat(43))
      await refresh(world, school, client, pair.refresh_token, { scope: 'courses:read' })
    })
    expect(genuine.map(({ outcome }) => outcome)).toEqual(['invalid_grant', 'invalid_scope'])
  })
})
