import { describe, expect } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, exchange, refresh, userinfo } from '../support/client-like.ts'
import { aCode, CLAUDE } from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

describe('a good exchange', () => {
  verifies(
    [
      'token.response.standard-fields',
      'token.response.school-id',
      'token.response.school-subdomain',
      'token.response.created-at',
      'pair.access.two-hours',
      'token.no-store',
      'oauth.bodies.json-out',
      'oauth.bodies.form-in',
      'client.id.identifies',
      'flow.public.method-none',
      'client.public.no-secret',
      'oidcc-ensure-request-with-valid-pkce-succeeds',
    ],
    'a public member client gets the standard fields and the three fields of member tokens',
    async () => {
      const { code, pkce } = await aCode(world, school, client, ada)
      const before = Math.floor(Date.now() / 1000) - 1
      const answer = await exchange(world, school, client, code, pkce.verifier)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers.pragma).toBe('no-cache')
      const body = answer.json()
      expect(Object.keys(body).sort()).toEqual([
        'access_token',
        'created_at',
        'expires_in',
        'id_token',
        'refresh_token',
        'school_id',
        'school_subdomain',
        'scope',
        'token_type',
      ])
      expect(body).toMatchObject({
        token_type: 'Bearer',
        expires_in: 7200,
        school_id: school.id,
        school_subdomain: school.subdomain,
      })
      expect(body.scope.split(' ').sort()).toEqual([
        'account:read',
        'account:write',
        'email',
        'openid',
        'profile',
      ])
      expect(Number.isInteger(body.created_at)).toBe(true)
      expect(body.created_at).toBeGreaterThanOrEqual(before)
    },
  )

  verifies(
    ['flow.confidential.post', 'client.confidential.post-at-token'],
    'a confidential client authenticates with its secret in the form',
    async () => {
      const { code, pkce } = await aCode(world, school, keeper, ada)
      expect((await exchange(world, school, keeper, code, pkce.verifier)).statusCode).toBe(200)
    },
  )

  verifies(
    [
      'token.response.operator-without',
      'pair.operator.two-hours',
      'flow.operator.same-steps',
      'register.operator-audience',
      'client.installation-wide.local-row',
    ],
    'an operator client gets none of the member fields, with or without resource',
    async () => {
      const owner = await world.aMember(school, ['owner'])
      for (const parameters of [{ resource: undefined }, {}]) {
        const { code, pkce } = await aCode(world, school, CLAUDE, owner, {
          scope: 'openid school:read',
          parameters,
        })
        const answer = await exchange(world, school, CLAUDE, code, pkce.verifier, parameters)
        expect(answer.statusCode).toBe(200)
        const first = answer.json()
        const second = (
          await refresh(world, school, CLAUDE, first.refresh_token, parameters)
        ).json()
        for (const body of [first, second]) {
          expect(body.expires_in).toBe(7200)
          for (const name of ['school_id', 'school_subdomain', 'created_at']) {
            expect(body).not.toHaveProperty(name)
          }
        }
      }
      const row = await school.db
        .from('clients')
        .select(['kind', 'audience'])
        .where('client_id', '=', 'claude')
        .executeTakeFirst()
      expect(row).toEqual({ kind: 'vendor', audience: 'operator' })
    },
  )

  verifies(
    ['pair.authorize.adds', 'pair.devices.independent', 'pair.consent.no-evidence'],
    'a new authorization adds a pair and leaves every earlier pair valid',
    async () => {
      const phone = await aPair(world, school, client, ada)
      const tablet = await aPair(world, school, client, ada)
      const other = await aPair(world, school, keeper, ada)
      for (const pair of [phone, tablet, other]) {
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      }
    },
  )

  verifies(
    'token.resource.other-names',
    'each request of a flow may name the origin in another way, and the binding is the same',
    async () => {
      const names = ['', '/', '/mcp', '/mcp/member'].map((path) => school.origin + path)
      for (const [place, resource] of names.entries()) {
        const next = names[(place + 1) % names.length]
        const { code, pkce } = await aCode(world, school, client, ada, { parameters: { resource } })
        const answer = await exchange(world, school, client, code, pkce.verifier, {
          resource: next,
        })
        expect(answer.json().school_id).toBe(school.id)
        const { refresh_token } = answer.json()
        const renewed = await refresh(world, school, client, refresh_token, { resource })
        expect(renewed.json().school_id).toBe(school.id)
        expect((await userinfo(world, school, renewed.json().access_token)).statusCode).toBe(200)
      }
      const bound = await school.db
        .from('authorizations')
        .select('resource')
        .where('audience', '=', 'member')
        .execute()
      expect(new Set(bound.map((row) => row.resource))).toEqual(new Set([school.origin]))
    },
  )
})
