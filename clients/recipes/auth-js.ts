/*
# Auth.js

The configuration is the same for `next-auth` 5, `@auth/express`, `@auth/sveltekit` and the others. `resource` goes into the
authorization's parameters and into the token URL. Name ES256: with a token URL of your own, Auth.js does not read which
algorithm the school signs with. The redirect URI is `{your origin}/auth/callback/schoolgate` (in Next.js `/api/auth/…`).

Auth.js does not refresh; its guide does it in the `jwt` callback, as here with the functions of [fetch](fetch.md). If the school
does not answer, the old pair is kept, so the next look at the session tries again with the same token. If it answers
`invalid_grant`, the access has ended for good, and so does the session.
*/
import type { AuthConfig } from '@auth/core'
import type { Application } from './application.ts'
import { isEnded, refresh, signOut, type Tokens } from './fetch.ts'

type Pair = Tokens & { until: number }
const withEnd = (tokens: Tokens): Pair => ({
  ...tokens,
  until: Date.now() + tokens.expires_in * 1000,
})

export function configure(app: Application, secret: string): AuthConfig {
  return {
    secret,
    trustHost: true,
    basePath: '/auth',
    providers: [
      {
        id: 'schoolgate',
        name: 'Schoolgate',
        type: 'oidc',
        issuer: app.origin,
        clientId: app.clientId,
        clientSecret: app.clientSecret,
        checks: ['pkce', 'state', 'nonce'],
        client: {
          token_endpoint_auth_method: 'client_secret_post',
          id_token_signed_response_alg: 'ES256',
        },
        authorization: {
          params: { scope: 'openid profile email account:read', resource: app.origin },
        },
        token: `${app.origin}/api/oauth/token?resource=${encodeURIComponent(app.origin)}`,
      },
    ],
    callbacks: {
      async jwt({ token, account }) {
        if (account) return { ...token, pair: withEnd(account as unknown as Tokens) }
        const pair = token.pair as Pair
        if (pair.until > Date.now()) return token
        try {
          return { ...token, pair: withEnd(await refresh(app, pair.refresh_token)) }
        } catch (error) {
          return isEnded(error) ? null : token
        }
      },
      // Whatever the session shows is visible to the browser. Leave this out if only your server calls the school.
      session: ({ session, token }) =>
        Object.assign(session, { accessToken: (token.pair as Pair).access_token }),
    },
    events: {
      async signOut(message) {
        if (!('token' in message) || message.token === null) return
        await signOut(app, (message.token.pair as Pair).refresh_token)
      },
    },
  }
}
