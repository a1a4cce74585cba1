import { formPost, MAX_LANES } from '../play.ts'
import type { Scenario } from '../scenario.ts'
import { idInDay, members, mintPairs } from '../world/tokens.ts'
import { fingerprint, mint, refuse } from './least.ts'

const MINT = `
  insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash, previous_id,
    access_expires_at, refresh_expires_at)
  select $3, p.authorization_id, p.bound_school_id, p.scopes, $4, $5, p.id,
    now() + interval '2 hours', now() + interval '90 days'
  from token_pairs p join authorizations a on a.id = p.authorization_id
  where p.id = $1 and p.refresh_hash = $2 and p.revoked_at is null and p.refresh_expires_at > now()
    and a.revoked_at is null
  returning scopes`

export const refresh: Scenario = {
  name: 'refresh',
  title: 'Refresh grant',
  bar: 1.35,
  against: [
    { peer: 'oidc-provider-postgres', bar: 0.5 },
    { peer: 'oidc-provider-memory+openid', bar: 1 },
  ],
  least: 'one statement that checks the old pair and inserts the new one',
  peers: [
    'floor+pipelined',
    'oidc-provider-memory',
    'oidc-provider-memory+openid',
    'oidc-provider-postgres',
    'oidc-provider-postgres+openid',
    'better-auth',
    'doorkeeper',
    'glewlwyd',
  ],
  leavesRows: true,
  async prepare(world, count) {
    // So many that a round refreshes each pair once: the next refresh of a chain is never the first
    // of a day.
    const holders = members(world, Math.max(3 * count, MAX_LANES))
    const pairs = await mintPairs(world, holders, idInDay)
    const requests = pairs.map(({ host, clientId, refreshToken }) =>
      formPost(
        '/api/oauth/token',
        {
          grant_type: 'refresh_token',
          client_id: clientId,
          refresh_token: refreshToken,
          resource: `http://${host}`,
        },
        { host },
      ),
    )
    return { mode: 'chain', requests, expect: 200, contains: '"access_token"' }
  },
  addFloor(app, { pool }) {
    app.post<{ Body: { refresh_token: string } }>('/api/oauth/token', async ({ body }, reply) => {
      const old = fingerprint(body.refresh_token)
      const { id, access, refresh } = mint()
      const { rows } = await pool.query<{ scopes: string[] }>({
        name: 'refresh',
        text: MINT,
        values: [old.id, old.hash, id, access.hash, refresh.hash],
      })
      if (rows[0] === undefined) return refuse(reply)
      return {
        access_token: access.value,
        token_type: 'Bearer',
        expires_in: 7200,
        refresh_token: refresh.value,
        scope: rows[0].scopes.join(' '),
      }
    })
  },
}
