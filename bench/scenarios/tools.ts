import type { IncomingHttpHeaders } from 'node:http'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { ToolLists } from '../../src/surfaces/mcp/toolbox.ts'
import { JSON_BODY } from '../play.ts'
import type { FloorGivens, Scenario } from '../scenario.ts'

const REVISION = '2026-07-28'

/** The tool endpoint; its floor is the SDK that lists our tools or answers a constant. */
function tool(
  name: string,
  title: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Scenario {
  return {
    name,
    title,
    bar: 1.2,
    least: 'the SDK alone behind bare Fastify, with the same tools and the same answer, kept',
    peers: [],
    async prepare({ size }) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const requests = Array.from({ length: Math.min(size.schools, 100) }, (_, i) => ({
        method: 'POST' as const,
        path: '/mcp',
        headers: {
          ...JSON_BODY,
          host: `s${i + 1}.bench.test`,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': REVISION,
          'mcp-method': method,
          ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      }))
      return { mode: 'repeat', requests, expect: 200, contains: '"result"' }
    },
    addFloor(app, given) {
      const handler = createMcpHandler(() => bareServer(given), { legacy: 'reject' })
      app.post('/mcp', async (request, reply) => {
        const response = await handler.fetch(webRequest(request.headers), {
          parsedBody: request.body,
        })
        return reply
          .code(response.status)
          .header('content-type', response.headers.get('content-type'))
          .send(await response.text())
      })
    },
  }
}

function bareServer({ school }: FloorGivens): Server {
  const server = new Server(
    { name: 'floor', version: '1' },
    { capabilities: { tools: {} }, supportedProtocolVersions: ['2025-11-25'] },
  )
  const answer = {
    name: school.name,
    tagline: school.appearance.tagline,
    description: school.description,
    url: school.origin,
    locale: school.locale,
    timeZone: school.timeZone,
    currency: school.currency,
    guideUrl: `${school.origin}/docs`,
    memberApiUrl: `${school.origin}/member/graphql`,
    restDescriptionUrl: `${school.origin}/openapi.json`,
  }
  server.setRequestHandler('tools/list', async () => ({ tools: [...toolsOf(school)] }))
  server.setRequestHandler('tools/call', async () => ({
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer,
  }))
  return server
}

const lists = new ToolLists()
const toolsOf = (school: FloorGivens['school']) => lists.for(undefined, school, '/mcp')

function webRequest(headers: IncomingHttpHeaders): Request {
  const passed = new Headers()
  for (const name of ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name]
    if (typeof value === 'string') passed.set(name, value)
  }
  return new Request('http://s1.bench.test/mcp', { method: 'POST', headers: passed })
}

export const toolsList = tool('tools-list', '`/mcp` tools/list', 'tools/list', {})
export const toolsCall = tool('tools-call', '`/mcp` tools/call', 'tools/call', {
  name: 'get_school',
  arguments: {},
})
