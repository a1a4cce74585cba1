/*
# urql

`preferGetMethod: false`, because the Member API takes POST only. The auth exchange refreshes after a 401 and sends the query
again. `session` is that of [fetch](fetch.md); any other client of this list can stand in its place.
*/
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { authExchange } from '@urql/exchange-auth'
import type { Session } from './fetch.ts'

export function connect(origin: string, session: Session): Client {
  return new Client({
    url: `${origin}/member/graphql`,
    preferGetMethod: false,
    exchanges: [
      cacheExchange,
      authExchange(async ({ appendHeaders }) => ({
        addAuthToOperation: (operation) =>
          appendHeaders(operation, { Authorization: session.authorization }),
        didAuthError: ({ response }) => response?.status === 401,
        // If it fails, the call has its 401 as error, and the next call tries again.
        refreshAuth: () => session.refresh().catch(() => undefined),
      })),
      fetchExchange,
    ],
  })
}
