import { describe, expect, test } from 'vitest'
import { parseToken } from '../../../src/foundation/protocol/token-format.ts'
import { verifies } from '../../spec/verifies.ts'
import { aPair, refresh, revoke } from '../../support/client-like.ts'
import { aNotification } from '../../support/inbox.ts'
import { ask, aToken, postGraphQL } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
const VIEWER = { query: '{ viewer { id } }' }

/** Removes the school binding of a pair, as in pairs from before the binding existed. */
async function removeBinding(accessToken: string): Promise<void> {
  await world.database.db
    .updateTable('token_pairs')
    .set({ bound_school_id: null })
    .where('id', '=', parseToken('access', accessToken)?.id ?? '')
    .execute()
}

describe('401, before any other check', () => {
  const expectChallenge = (answer: Awaited<ReturnType<typeof postGraphQL>>): void => {
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toMatchObject({ error: 'invalid_token' })
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"')
    expect(answer.headers['www-authenticate']).toContain(
      `resource_metadata="${school.origin}/.well-known/oauth-protected-resource"`,
    )
  }

  verifies(
    [
      'member.errors.no-token',
      'member.no-token.says-invalid-token',
      'member.no-anonymous',
      'member.bearer',
    ],
    'no token is invalid_token in header and body',
    async () => expectChallenge(await postGraphQL(world, school, undefined, VIEWER)),
  )

  verifies('member.errors.bad-token', 'malformed, unknown and revoked tokens', async () => {
    const client = await world.aPublicClient(school)
    const pair = await aPair(world, school, client, ada)
    expect((await postGraphQL(world, school, pair.access_token, VIEWER)).statusCode).toBe(200)
    await revoke(world, school, client, pair.refresh_token)
    for (const token of ['x', 'a.b.c', pair.refresh_token, pair.access_token]) {
      expectChallenge(await postGraphQL(world, school, token, VIEWER))
    }
  })

  verifies('member.errors.bad-token', 'an expired token', async () => {
    const token = await aToken(world, school, ada)
    await world.database.db
      .updateTable('token_pairs')
      .set({ access_expires_at: new Date(Date.now() - 1000) })
      .where('access_expires_at', '>', new Date())
      .execute()
    expectChallenge(await postGraphQL(world, school, token, VIEWER))
  })

  verifies('member.errors.other-origin', 'a token of another origin', async () => {
    const other = await world.aSchool()
    await world.aMember(other, ['student'], ada)
    const token = await aToken(world, other, ada)
    expectChallenge(await postGraphQL(world, school, token, VIEWER))
  })

  verifies(
    ['member.errors.no-school-id', 'member.checks-school-id', 'member.remedy'],
    'a pair without school_id, also after a refresh',
    async () => {
      const client = await world.aPublicClient(school)
      const pair = await aPair(world, school, client, ada)
      await removeBinding(pair.access_token)
      const answer = await postGraphQL(world, school, pair.access_token, VIEWER)
      expectChallenge(answer)
      expect(answer.json().error_description).toMatch(/different organization/)
      expect(answer.json().error_description).toMatch(/authorization-code flow/)
      const young = (await refresh(world, school, client, pair.refresh_token)).json()
      expectChallenge(await postGraphQL(world, school, young.access_token, VIEWER))
    },
  )

  verifies('member.operator-token', 'an operator token has no school_id', async () => {
    const owner = await world.aMember(school, ['owner'])
    const client = await world.aPublicClient(school, { scopes: ['courses:read'] })
    await school.db
      .update('clients')
      .set({ audience: 'operator' })
      .where('client_id', '=', client.clientId)
      .execute()
    const { access_token } = await aPair(world, school, client, owner, { scope: 'courses:read' })
    const answer = await postGraphQL(world, school, access_token, VIEWER)
    expectChallenge(answer)
    const { error_description } = answer.json()
    expect(error_description).toContain('issued for a different organization')
    expect(error_description).toContain('accepts only member tokens')
    expect(error_description).not.toContain('flow at this origin')
  })

  verifies(
    ['member.no-owner', 'member.from-resource-owner'],
    'a pair without a resource owner',
    async () => {
      const token = await aToken(world, school, ada)
      const { client_id } = await world.database.db
        .selectFrom('authorizations')
        .select('client_id')
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow()
      await school.db
        .update('authorizations')
        .set({ user_id: null })
        .where('client_id', '=', client_id)
        .execute()
      expectChallenge(await postGraphQL(world, school, token, VIEWER))
    },
  )

  verifies('member.role-gone', 'a viewer who lost the last role here', async () => {
    const ben = await world.aMember(school)
    const token = await aToken(world, school, ben)
    await school.db
      .update('school_members')
      .set({ roles: [] })
      .where('user_id', '=', ben.id)
      .execute()
    expectChallenge(await postGraphQL(world, school, token, VIEWER))
  })
})

describe('403, before the schema', () => {
  verifies(
    [
      'member.errors.no-account-scope',
      'member.errors.no-account-scope.before-schema',
      'member.order.before-body',
    ],
    'a token without an account scope: the body is not read',
    async () => {
      const client = await world.aPublicClient(school)
      const { access_token } = await aPair(world, school, client, ada, { scope: 'openid email' })
      const bodies = [
        [JSON.stringify(VIEWER), 'application/json'],
        ['{ not json', 'application/json'],
        ['{"query": "{ not graphql"}', 'application/json'],
        ['query=x', 'application/x-www-form-urlencoded'],
      ] as const
      for (const [body, type] of bodies) {
        const answer = await postGraphQL(world, school, access_token, body, {
          'content-type': type,
          accept: 'image/png',
        })
        expect(answer.statusCode).toBe(403)
        expect(answer.json()).toMatchObject({ error: 'insufficient_scope' })
        const challenge = answer.headers['www-authenticate']
        expect(challenge).toContain('error="insufficient_scope"')
        expect(challenge).toContain('scope="account:read"')
        expect(challenge).toContain('resource_metadata=')
      }
    },
  )

  verifies('member.order.401-first', 'a token that fails both checks is a 401', async () => {
    const client = await world.aPublicClient(school)
    const { access_token } = await aPair(world, school, client, ada, { scope: 'openid' })
    await removeBinding(access_token)
    expect((await postGraphQL(world, school, access_token, VIEWER)).statusCode).toBe(401)
  })

  test('every method answers 401 without a token', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await world.app.inject({
        method,
        url: '/member/graphql?query={viewer{id}}',
        headers: { host: new URL(school.origin).host },
      })
      expect(answer.statusCode).toBe(401)
    }
  })
})

describe('a token with only one of the account scopes', () => {
  verifies(
    [
      'member.errors.other-account-scope',
      'member.errors.other-account-scope.names-scope',
      'member.errors.other-account-scope.no-challenge',
      'member.scope-error.extensions',
    ],
    'a write with only account:read: 200, an error that names the scope, no challenge, no change',
    async () => {
      const cleo = await world.aMember(school)
      await aNotification(school, cleo)
      const token = await aToken(world, school, cleo, 'account:read')
      const mutation = { query: 'mutation { markAllNotificationsRead { markedCount } }' }
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await postGraphQL(world, school, token, mutation, { accept })
        expect(answer.statusCode).toBe(200)
        expect(answer.headers['www-authenticate']).toBeUndefined()
        expect(answer.json().data).toEqual({ markAllNotificationsRead: null })
        expect(answer.json().errors).toHaveLength(1)
        expect(answer.json().errors[0]).toMatchObject({
          path: ['markAllNotificationsRead'],
          extensions: { code: 'insufficient_scope', requiredScope: 'account:write' },
        })
        expect(answer.json().errors[0].message).toMatch(/Insufficient scope.*account:write/)
      }
      const { data } = await ask(world, school, token, '{ viewer { unreadNotificationCount } }')
      expect(data).toEqual({ viewer: { unreadNotificationCount: 1 } })
    },
  )

  verifies(
    ['payment.scope', 'notification.read-scope', 'member.account-read.unlocks'],
    'a read with only account:write: viewer is null for every selection',
    async () => {
      const token = await aToken(world, school, ada, 'account:write')
      for (const fields of [
        'id',
        'payments { totalCount }',
        'notifications { totalCount }',
        'unreadNotificationCount',
        'notificationSubscriptions { topic }',
      ]) {
        const { data, errors } = await ask(world, school, token, `{ viewer { ${fields} } }`)
        expect(data).toEqual({ viewer: null })
        expect(errors?.[0]?.extensions).toEqual({
          code: 'insufficient_scope',
          requiredScope: 'account:read',
          docs: `${school.origin}/docs/errors#insufficient_scope`,
        })
      }
    },
  )

  verifies('member.scope-error.rest-stands', 'the other root fields have their data', async () => {
    const token = await aToken(world, school, ada, 'account:write')
    const query = '{ viewer { id } __typename again: __typename }'
    // The third run uses the compiled document.
    for (let i = 0; i < 3; i++) {
      const { data, errors } = await ask(world, school, token, query)
      expect(data).toEqual({ viewer: null, __typename: 'Query', again: 'Query' })
      expect(errors).toHaveLength(1)
    }
  })

  verifies(
    'notification.payload.write-alone',
    'the result of a mutation is readable with only account:write',
    async () => {
      const dora = await world.aMember(school)
      const id = await aNotification(school, dora)
      const token = await aToken(world, school, dora, 'account:write')
      const { data, errors } = await ask(
        world,
        school,
        token,
        `mutation { markNotificationRead(id: "${id}") {
          notification { id title body createdAt readAt } unreadNotificationCount } }`,
      )
      expect(errors).toBeUndefined()
      expect(data).toMatchObject({ markNotificationRead: { unreadNotificationCount: 0 } })
    },
  )
})

describe('older origins', () => {
  verifies(
    ['older.scope-missing', 'older.scope-missing.whole-document'],
    'refuse a whole document if the token lacks a scope for a part of it, and run nothing',
    async () => {
      const old = await world.aSchool({ variant: 'older' })
      await world.aMember(old, ['student'], ada)
      const id = await aNotification(old, ada)
      const reader = await aToken(world, old, ada, 'account:read')
      const writer = await aToken(world, old, ada, 'account:write')
      const attempts = [
        [reader, `mutation { markNotificationRead(id: "${id}") { unreadNotificationCount } }`],
        [writer, '{ viewer { id } }'],
        [writer, '{ __typename ... on Query { viewer { id } } }'],
        [writer, 'query { ...F } fragment F on Query { viewer { id } }'],
      ] as const
      for (const [token, query] of attempts) {
        const answer = await postGraphQL(world, old, token, { query })
        expect(answer.statusCode).toBe(403)
        expect(answer.json()).toMatchObject({ error: 'insufficient_scope' })
        expect(answer.headers['www-authenticate']).toMatch(
          token === reader ? /scope="account:write"/ : /scope="account:read"/,
        )
      }
      const { data } = await ask(world, old, reader, '{ viewer { unreadNotificationCount } }')
      expect(data).toEqual({ viewer: { unreadNotificationCount: 1 } })
    },
  )

  verifies(
    ['older.scope-missing', 'older.scope-missing.whole-document'],
    'check scopes behind aliases and conditions too, for the operation that is named',
    async () => {
      const old = await world.aSchool({ variant: 'older' })
      await world.aMember(old, ['student'], ada)
      const writer = await aToken(world, old, ada, 'account:write')
      const send = (query: string, rest: object = {}) =>
        postGraphQL(world, old, writer, { query, ...rest })
      const conditional = 'query ($if: Boolean!) { __typename viewer @include(if: $if) { id } }'
      const refused = [
        await send('{ __typename typeName: viewer { __typename } }'),
        await send(conditional, { variables: { if: true } }),
        // The check reads only the document, so no value of a variable changes its result.
        await send(conditional, { variables: { if: false } }),
        await send(conditional, { variables: { if: 'neither' } }),
      ]
      for (const answer of refused) {
        expect(answer.statusCode).toBe(403)
        expect(answer.headers['www-authenticate']).toContain('scope="account:read"')
      }
      const both = `query Read { viewer { id } }
        mutation Write { markAllNotificationsRead { markedCount } }`
      expect((await send(both, { operationName: 'Read' })).statusCode).toBe(403)
      const written = await send(both, { operationName: 'Write' })
      expect(written.statusCode).toBe(200)
      expect(written.json().data).toEqual({ markAllNotificationsRead: { markedCount: 0 } })
      const introspected = await send('{ __schema { queryType { name } } }')
      expect(introspected.json().data).toEqual({ __schema: { queryType: { name: 'Query' } } })
    },
  )

  verifies('older.viewer.absent', 'have no avatar, meetings or payments', async () => {
    const old = await world.aSchool({ variant: 'older' })
    await world.aMember(old, ['student'], ada)
    const token = await aToken(world, old, ada)
    for (const field of [
      'avatar',
      'payments { totalCount }',
      'consultingMeetings { totalCount }',
    ]) {
      const { data, errors } = await ask(world, old, token, `{ viewer { ${field} } }`)
      expect(data).toBeUndefined()
      expect(errors?.[0]?.message).toMatch(/Cannot query field/)
    }
    const { data } = await ask<{ __schema: { types: { name: string }[] } }>(
      world,
      old,
      token,
      '{ __schema { types { name } } }',
    )
    expect(data?.__schema.types.map(({ name }) => name)).not.toContain('Payment')
  })

  verifies('older.viewer.fields', 'have all other fields', async () => {
    const old = await world.aSchool({ variant: 'older' })
    await world.aMember(old, ['student'], ada)
    const token = await aToken(world, old, ada)
    const { errors } = await ask(
      world,
      old,
      token,
      `{ viewer { id name email schools { id } enrolledCourses { totalCount }
          digitalProducts { totalCount } consultingServices { totalCount }
          eventRegistrations { totalCount } notifications { totalCount }
          unreadNotificationCount notificationSubscriptions { topic } } }`,
    )
    expect(errors).toBeUndefined()
  })
})

test('a call with a scope refusal counts as the first use of its token', async () => {
  const client = await world.aPublicClient(school)
  const old = await aPair(world, school, client, ada, { scope: 'openid' })
  const young = (await refresh(world, school, client, old.refresh_token)).json()
  expect((await postGraphQL(world, school, young.access_token, VIEWER)).statusCode).toBe(403)
  expect((await postGraphQL(world, school, old.access_token, VIEWER)).statusCode).toBe(401)
})
