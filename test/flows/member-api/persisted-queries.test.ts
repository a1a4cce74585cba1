import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aListeningSchool } from '../../support/listening-school.ts'
import { aToken, postGraphQL } from '../../support/member-api.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const school = await aListeningSchool(world)
const ada = await world.aMember(school)
const token = await aToken(world, school, ada)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What Apollo Client sends first: the hash of the document without the document. */
const PROBE = {
  operationName: 'Me',
  variables: {},
  extensions: { persistedQuery: { version: 1, sha256Hash: sha256('query Me { viewer { id } }') } },
}
const REFUSED = {
  errors: [
    {
      message: 'PersistedQueryNotSupported',
      extensions: {
        code: 'PERSISTED_QUERY_NOT_SUPPORTED',
        docs: expect.stringMatching(/#PERSISTED_QUERY_NOT_SUPPORTED$/),
      },
    },
  ],
}

describe('the hash of a persisted query', () => {
  verifies(
    'member.http.persisted-query',
    'is answered PersistedQueryNotSupported, with the status of its media type',
    async () => {
      const answer = await postGraphQL(world, school, token, PROBE)
      expect([answer.statusCode, answer.json()]).toEqual([200, REFUSED])
      const accept = 'application/graphql-response+json'
      const strict = await postGraphQL(world, school, token, PROBE, { accept })
      expect([strict.statusCode, strict.json()]).toEqual([400, REFUSED])
    },
  )

  test('beside its document has no effect', async () => {
    const answer = await postGraphQL(world, school, token, {
      ...PROBE,
      query: 'query Me { viewer { name } }',
    })
    expect(answer.json().data).toEqual({ viewer: { name: ada.name } })
  })

  test('is not read without a token', async () => {
    expect((await postGraphQL(world, school, undefined, PROBE)).statusCode).toBe(401)
  })

  test('that is no object is not a request', async () => {
    const answer = await postGraphQL(world, school, token, {
      extensions: { persistedQuery: 'x' },
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors[0].extensions.code).toBe('bad_request')
  })
})

verifies(
  'member.http.persisted-query',
  'Apollo Client with persisted queries sends the document instead, and stops asking',
  async () => {
    const sent: { readonly query?: string }[] = []
    const watched: typeof fetch = (input, init) => {
      sent.push(JSON.parse(String(init?.body)))
      return fetch(input, init)
    }
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.from([
        new PersistedQueryLink({ sha256 }),
        new HttpLink({
          uri: `${school.origin}/member/graphql`,
          headers: { authorization: `Bearer ${token}` },
          fetch: watched,
        }),
      ]),
    })
    for (const query of [gql`query Me { viewer { id } }`, gql`query Name { viewer { name } }`]) {
      const { data, error } = await client.query({ query })
      expect(error).toBeUndefined()
      expect(data).toMatchObject({ viewer: {} })
    }
    expect(sent.map(({ query }) => query !== undefined)).toEqual([false, true, true])
  },
)
