import { describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import type { Answer } from '../../support/browser-like.ts'
import { sharedWorld } from '../../support/world.ts'
import { MODERN, post, postModern, type Rpc, request } from '../mcp/tool-endpoint.ts'
import { Wire } from './wire.ts'

const world = await sharedWorld()
const school = await world.aSchool()

function errorOf(answer: Answer) {
  const { error } = answer.json<Rpc>()
  if (error === undefined) throw new Error(`no error: ${answer.body}`)
  return error
}

verifies(
  'assistants.refused-in-words',
  'Claude: a body of 2026-07-28 with a header of 2025-11-25 is refused with both versions',
  async () => {
    const headers = { 'mcp-protocol-version': '2025-11-25', 'user-agent': 'Claude-User' }
    const answer = await postModern(world, school, 'tools/list', {}, { headers })
    expect(answer.statusCode).toBe(400)
    const { code, message } = errorOf(answer)
    expect(code).toBe(-32020)
    expect(message).toContain('2025-11-25')
    expect(message).toContain(MODERN)
  },
)

describe('a version of the protocol that is not spoken here', () => {
  test('gets the newest one of the handshake offered', async () => {
    for (const protocolVersion of ['2027-01-01', '2024-11-05', 'latest']) {
      const clientInfo = { name: 'an assistant', version: '9' }
      const answer = await post(
        world,
        school,
        request('initialize', { protocolVersion, capabilities: {}, clientInfo }),
      )
      expect(answer.json().result.protocolVersion).toBe('2025-11-25')
    }
  })

  verifies('assistants.refused-in-words', 'in a header is refused by its name', async () => {
    const messageFor = async (version: string) => {
      const headers = { 'mcp-protocol-version': version }
      const answer = await post(world, school, request('tools/list'), { headers })
      expect(answer.statusCode).toBe(400)
      return errorOf(answer).message
    }
    const older = await messageFor('2024-11-05')
    for (const named of ['2024-11-05', '2025-11-25', '2025-03-26']) expect(older).toContain(named)
    expect(await messageFor('2027-01-01')).toContain('2027-01-01')
  })

  verifies(
    'assistants.refused-in-words',
    'in the body and its header is refused with a list that programs read',
    async () => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2027-01-01',
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const headers = { 'mcp-protocol-version': '2027-01-01' }
      const answer = await postModern(world, school, 'tools/list', { _meta }, { headers })
      expect(answer.statusCode).toBe(400)
      const { code, data } = errorOf(answer)
      expect(code).toBe(-32022)
      expect(data).toMatchObject({ supported: expect.arrayContaining([MODERN]) })
    },
  )
})

verifies(
  'cors.preflight-before-auth',
  'assistants in a browser or a shell may ask first',
  async () => {
    const wire = new Wire(world, school)
    const paths = ['/mcp', '/mcp/member', '/api/oauth/token', '/api/oauth/register']
    for (const origin of ['https://claude.ai', 'https://chatgpt.com', 'vscode-file://vscode-app']) {
      for (const path of paths) {
        const answer = await wire.send('OPTIONS', school.origin + path, {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers':
            'authorization,content-type,mcp-protocol-version,mcp-session-id,last-event-id',
        })
        expect(answer.statusCode, path).toBe(204)
        expect(answer.headers['access-control-allow-origin']).toBe('*')
      }
    }
  },
)
