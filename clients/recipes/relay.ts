/*
# Relay

Give relay-compiler the schema of the school, `curl {origin}/schema.graphql > schema.graphql`. Relay leaves the network to you:
this function sends the token, refreshes after a 401 and sends the query again. `session` is that of [fetch](fetch.md); any other
client of this list can stand in its place.
*/
import relay from 'relay-runtime'
import type { Session } from './fetch.ts'

const { Environment, Network, RecordSource, Store } = relay

export function connect(origin: string, session: Session) {
  const post = (body: string) =>
    fetch(`${origin}/member/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: session.authorization },
      body,
    })
  const network = Network.create(async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables })
    let answer = await post(body)
    if (answer.status === 401) {
      await session.refresh()
      answer = await post(body)
    }
    return await answer.json()
  })
  return new Environment({ network, store: new Store(new RecordSource()) })
}
