import { BULK_ROUTES } from '../../src/surfaces/admin-api/bulk.ts'
import { openApiDocument } from '../../src/surfaces/admin-api/openapi.ts'
import { ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import { UPLOAD_ROUTE } from '../../src/surfaces/admin-api/upload.ts'
import { authorizationServerMetadata, jsonWebKeySet } from '../../src/surfaces/oauth/discovery.ts'
import type { ContenderName } from '../contenders/contender-names.ts'
import type { FloorGivens, Scenario } from '../scenario.ts'

interface Options {
  readonly ifNoneMatch?: '*'
  readonly warmUp?: number
  readonly peers?: readonly ContenderName[]
}

/** A document that is the same for every client: the floor is bare Fastify that sends a string. */
function document(
  name: string,
  title: string,
  path: string,
  write: (given: FloorGivens) => unknown,
  { ifNoneMatch, warmUp = 1, peers = [] }: Options = {},
): Scenario {
  return {
    warmUp,
    name,
    title,
    bar: 1.5,
    least: 'bare Fastify sending a constant',
    peers: ['floor+http', ...peers],
    moreStarts: 2,
    async prepare({ size }) {
      const requests = Array.from({ length: Math.min(size.schools, 100) }, (_, i) => ({
        method: 'GET' as const,
        path,
        headers: {
          host: `s${i + 1}.bench.test`,
          ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
        },
      }))
      return { mode: 'repeat', requests, expect: ifNoneMatch === undefined ? 200 : 304 }
    },
    addFloor(app, given) {
      const body = JSON.stringify(write(given))
      app.get(path, (request, reply) => {
        reply.header('etag', '"constant"').header('cache-control', 'public, max-age=300')
        if (request.headers['if-none-match'] !== undefined) return reply.code(304).send()
        return reply.header('content-type', 'application/json; charset=utf-8').send(body)
      })
    },
    answerRaw(given) {
      const body = JSON.stringify(write(given))
      const always = { etag: '"constant"', 'cache-control': 'public, max-age=300' }
      const whole = {
        ...always,
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      }
      return (request, response) => {
        if (request.headers['if-none-match'] !== undefined) response.writeHead(304, always).end()
        else response.writeHead(200, whole).end(body)
      }
    },
  }
}

const DISCOVERY = '/.well-known/oauth-authorization-server'
const metadata = ({ school }: FloorGivens) => authorizationServerMetadata(school, true)

export const discovery = document('discovery', 'Discovery', DISCOVERY, metadata, {
  peers: ['glewlwyd'],
})

export const unchangedDiscovery = document(
  'discovery-304',
  'Discovery, unchanged (304)',
  DISCOVERY,
  metadata,
  { ifNoneMatch: '*' },
)

export const jwks = document(
  'jwks',
  'JWKS',
  '/.well-known/jwks.json',
  ({ school }) => jsonWebKeySet(school),
  { peers: ['glewlwyd'] },
)

export const openapi = document(
  'openapi',
  'openapi.json (600 kB)',
  '/openapi.json',
  ({ school }) =>
    openApiDocument([...ROUTES, UPLOAD_ROUTE, ...BULK_ROUTES], {
      origin: school.origin,
      contact: { name: school.name, url: `${school.origin}/docs` },
    }),
  { warmUp: 0.2 },
)
