import { expect, test } from 'vitest'
import { aPkce } from '../support/browser-like.ts'
import { aPair, exchange, type Pair, postForm, refresh } from '../support/client-like.ts'
import { sharedWorld, type TestClient } from '../support/world.ts'

/*
 * The token endpoint authenticates a client in SQL, introspection also in code, if it finds no
 * active token. Both must accept and refuse the same clients (RFC 6749 §2.3.1).
 */

const world = await sharedWorld()
const school = await world.aSchool({ variant: 'older', signing: 'none' })
const ada = await world.aMember(school)

interface Case {
  readonly client: TestClient
  readonly pair: Pair
  readonly secret: string | undefined
}

async function aCase(
  kind: 'public' | 'confidential',
  state: 'enabled' | 'disabled' | 'deleted',
  sent: 'no' | 'the right' | 'a wrong',
): Promise<Case> {
  const client =
    kind === 'public' ? await world.aPublicClient(school) : await world.aConfidentialClient(school)
  const pair = await aPair(world, school, client, ada)
  if (state !== 'enabled') {
    await school.db
      .update('clients')
      .set({ [`${state}_at`]: new Date() })
      .where('client_id', '=', client.clientId)
      .execute()
  }
  return {
    client,
    pair,
    secret: { no: undefined, 'the right': client.secret, 'a wrong': 'x' }[sent],
  }
}

/** Whether each way to authenticate accepts the client. */
async function acceptedBy({ client, pair, secret }: Case) {
  const sent = { client_id: client.clientId, client_secret: secret }
  const introspect = (token: string) =>
    postForm(world, school, '/api/oauth/introspect', { ...sent, token })
  const answers = {
    codeExchange: await exchange(world, school, client, 'unknown', aPkce().verifier, sent),
    introspectionOfNoToken: await introspect('unknown'),
    introspectionOfItsToken: await introspect(pair.access_token),
    refresh: await refresh(world, school, client, pair.refresh_token, sent),
  }
  return Object.entries(answers).map(([way, answer]) => [
    way,
    answer.json().error !== 'invalid_client',
  ])
}

const all = (accepted: boolean) => [
  ['codeExchange', accepted],
  ['introspectionOfNoToken', accepted],
  ['introspectionOfItsToken', accepted],
  ['refresh', accepted],
]

test.each([
  ['public', 'enabled', 'no', true],
  ['public', 'enabled', 'a wrong', false],
  ['public', 'disabled', 'no', false],
  ['public', 'deleted', 'no', false],
  ['confidential', 'enabled', 'the right', true],
  ['confidential', 'enabled', 'a wrong', false],
  ['confidential', 'enabled', 'no', false],
  ['confidential', 'disabled', 'the right', false],
  ['confidential', 'deleted', 'the right', false],
] as const)(
  'a %s client that is %s and sends %s secret is accepted by every endpoint: %s',
  async (kind, state, sent, accepted) => {
    expect(await acceptedBy(await aCase(kind, state, sent))).toEqual(all(accepted))
  },
)

test('every endpoint refuses an unknown client', async () => {
  const { client, pair } = await aCase('public', 'enabled', 'no')
  const unknown = { ...client, clientId: 'unknown' }
  expect(await acceptedBy({ client: unknown, pair, secret: undefined })).toEqual(all(false))
})
