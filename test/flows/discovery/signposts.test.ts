import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { postForm } from '../../support/client-like.ts'
import { postGraphQL } from '../../support/member-api.ts'
import { getFrom } from '../../support/oauth-world.ts'
import { sharedWorld } from '../../support/world.ts'
import { post, request } from '../mcp/tool-endpoint.ts'

const world = await sharedWorld()
const school = await world.aSchool()

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('from an answer to the guide', () => {
  const answers = {
    'the home page': () => new Visitor(world, school).get('/'),
    'a refusal of the token endpoint': () => postForm(world, school, '/api/oauth/token', {}),
    'a refusal of the REST API': () => getFrom(world, school, '/api/v1/courses'),
    'a refusal of the Member API': () => postGraphQL(world, school, undefined, {}),
    'a refused message': () => post(world, school, []),
    'a refused token at /mcp': () => post(world, school, request('tools/list'), { token: 'x' }),
    'a JSON 404': () => getFrom(world, school, '/nothing', { accept: 'application/json' }),
    'a 404 of the REST API': () => getFrom(world, school, '/api/v1/nothing'),
  }
  for (const [what, ask] of Object.entries(answers)) {
    verifies(
      'machines.links',
      `${what} links to the guide and to the description of the API`,
      async () => {
        const { link } = (await ask()).headers
        expect(link).toContain('</docs>; rel="service-doc"')
        expect(link).toContain('</openapi.json>; rel="service-desc"')
      },
    )
  }

  verifies('machines.links', 'every JSON 404 of an unknown address names /docs', async () => {
    for (const path of ['/nothing', '/api/v1/nothing', '/api/nothing', '/.well-known/nothing']) {
      const answer = await getFrom(world, school, path, { accept: 'application/json' })
      expect(answer.statusCode).toBe(404)
      expect(answer.body).toContain('/docs')
    }
  })
})

describe('the tool endpoint in a browser', () => {
  for (const path of ['/mcp', '/mcp/', '/mcp/member']) {
    verifies('machines.mcp-page', `${path} explains itself`, async () => {
      const answer = await getFrom(world, school, path, { accept: BROWSER })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
      expect(answer.body).toContain(school.origin + path.replace(/\/$/, ''))
      expect(answer.body).toContain('href="/docs#assistants"')
    })
  }

  test.each([undefined, 'text/event-stream', 'application/json, text/event-stream', '*/*'])(
    'a client that asks for a stream (Accept: %s) gets 405 as before',
    async (accept) => {
      const answer = await getFrom(world, school, '/mcp', accept === undefined ? {} : { accept })
      expect(answer.statusCode).toBe(405)
      expect(answer.headers.allow).toBe('POST')
      expect(answer.json().error.code).toBe(405)
    },
  )
})
