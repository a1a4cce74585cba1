/*
# Apollo Client

One link sends the token, one refreshes after a 401 and sends the query again. `session` is that of [fetch](fetch.md); any other
client of this list can stand in its place. A token that lacks a scope is no 401: look at `errors`.
*/
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { ServerError } from '@apollo/client/errors'
import { SetContextLink } from '@apollo/client/link/context'
import { ErrorLink } from '@apollo/client/link/error'
import { from, switchMap } from 'rxjs'
import type { Session } from './fetch.ts'

export function connect(origin: string, session: Session): ApolloClient {
  const sendToken = new SetContextLink(({ headers }) => ({
    headers: { ...headers, authorization: session.authorization },
  }))
  const refreshToken = new ErrorLink(({ error, operation, forward }) => {
    if (!ServerError.is(error) || error.statusCode !== 401) return
    return from(session.refresh()).pipe(switchMap(() => forward(operation)))
  })
  const http = new HttpLink({ uri: `${origin}/member/graphql` })
  return new ApolloClient({
    link: ApolloLink.from([refreshToken, sendToken, http]),
    cache: new InMemoryCache(),
  })
}
