import { formPost } from '../play.ts'
import type { Scenario } from '../scenario.ts'
import { members, mintPairs } from '../world/tokens.ts'
import { fingerprint } from './least.ts'

const REVOKE = `
  update token_pairs p set revoked_at = now() from authorizations a
  where p.id = $1 and p.refresh_hash = $2 and p.revoked_at is null
    and a.id = p.authorization_id and a.client_id = $3`

export const revocation: Scenario = {
  name: 'revocation',
  title: 'Revocation',
  bar: 1.5,
  least: 'one update of the pair',
  peers: ['oidc-provider-memory', 'oidc-provider-postgres', 'better-auth', 'doorkeeper'],
  async prepare(world, count) {
    const pairs = await mintPairs(world, members(world, count))
    const requests = pairs.map(({ host, clientId, refreshToken }) =>
      formPost('/api/oauth/revoke', { client_id: clientId, token: refreshToken }, { host }),
    )
    return { mode: 'once', requests, expect: 200 }
  },
  addFloor(app, { pool }) {
    app.post<{ Body: { client_id: string; token: string } }>(
      '/api/oauth/revoke',
      async ({ body }) => {
        const token = fingerprint(body.token)
        await pool.query({
          name: 'revoke',
          text: REVOKE,
          values: [token.id, token.hash, body.client_id],
        })
        return {}
      },
    )
  },
}
