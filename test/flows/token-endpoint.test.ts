import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { exchange } from '../support/client-like.ts'
import { aCode, getFrom } from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

describe('methods and headers', () => {
  test('another method is a JSON 405 that names the right one', async () => {
    for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/register']) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'] as const) {
        const answer = await getFrom(world, school, path, { accept: 'text/html' }, method)
        expect([path, method, answer.statusCode]).toEqual([path, method, 405])
        expect(answer.headers.allow).toBe('POST')
        expect(answer.json()).toMatchObject({ error: 'invalid_request' })
      }
    }
    const answer = await getFrom(world, school, '/api/oauth/userinfo', {}, 'DELETE')
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, POST'])
  })

  verifies(
    ['client.basic-refused', 'trouble.basic-parsing'],
    'credentials in the Authorization header are refused with a proper error, in any scheme and form',
    async () => {
      const { code, pkce } = await aCode(world, school, keeper, ada)
      const basic = Buffer.from(`${keeper.clientId}:${keeper.secret}`).toString('base64')
      const headers = [`Basic ${basic}`, 'Basic', 'Basic %%%', 'basic Og==', 'Bearer x', 'Other y']
      for (const authorization of headers) {
        const answer = await world.app.inject({
          method: 'POST',
          url: '/api/oauth/token',
          headers: {
            host: new URL(school.origin).host,
            'content-type': 'application/x-www-form-urlencoded',
            authorization,
          },
          payload: new URLSearchParams({
            grant_type: 'authorization_code',
            client_id: keeper.clientId,
            client_secret: keeper.secret ?? '',
            code,
            code_verifier: pkce.verifier,
            redirect_uri: keeper.redirectUri,
            resource: school.origin,
          }).toString(),
        })
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
        const scheme = /^(basic|bearer)/i.exec(authorization)?.[0]
        const challenge = answer.headers['www-authenticate']
        if (scheme === undefined) expect(challenge).toBeUndefined()
        else expect(challenge).toBe(`${scheme} realm="${school.origin}"`)
      }
      expect((await exchange(world, school, keeper, code, pkce.verifier)).statusCode).toBe(200)
    },
  )
})
