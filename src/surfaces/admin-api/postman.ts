import { API_ROOT } from '../../domain/operation/rest-path.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS } from '../../foundation/protocol/resource-names.ts'
import { sortedResources } from './reference.ts'
import { type DescribedRoute, planOf, resourceOf } from './route.ts'

/**
 * Every REST operation as a request that can be sent, and one of each other interface. Postman signs in by itself, with the
 * `client_id` of a tool of the school whose redirect URI is Postman's.
 *
 * @see Postman Collection Format v2.1.0
 */
export function postmanCollection(routes: readonly DescribedRoute[], origin: string): object {
  return {
    info: {
      name: 'Schoolgate',
      description: `Set client_id and scope in the variables, then get a token under Authorization. The guide: ${origin}/docs`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'origin', value: origin },
      { key: 'client_id', value: `${origin}/clients/YOUR_TOOL.json` },
      { key: 'scope', value: 'courses:read' },
    ],
    auth: { type: 'oauth2', oauth2: SIGN_IN.map(([key, value]) => ({ key, value, type: 'any' })) },
    item: [
      ...sortedResources(routes).map(({ name, title, note }) => ({
        name: title,
        description: note,
        item: routes.filter((route) => resourceOf(route) === name).map(itemOf),
      })),
      ...OTHERS,
    ],
  }
}

const SIGN_IN: readonly (readonly [string, string | boolean | object[]])[] = [
  ['grant_type', 'authorization_code_with_pkce'],
  ['challengeAlgorithm', 'S256'],
  ['authUrl', `{{origin}}${ENDPOINTS.authorize}`],
  ['accessTokenUrl', `{{origin}}${ENDPOINTS.token}?resource={{origin}}`],
  ['clientId', '{{client_id}}'],
  ['scope', '{{scope}}'],
  ['client_authentication', 'body'],
  ['useBrowser', true],
  ['addTokenTo', 'header'],
]

function itemOf(route: DescribedRoute): object {
  const { operation, method, path } = route
  const example = operation.examples[0]?.input ?? {}
  const plan = planOf(route)
  const segments = (API_ROOT + path)
    .replace(/\{([a-z_]+)\}/g, ':$1')
    .split('/')
    .slice(1)
  const body = Object.fromEntries(
    Object.entries(example).filter(([name]) => plan.body.includes(name)),
  )
  return {
    name: operation.title,
    request: {
      method,
      description: `${operation.summary} Needs ${operation.scopes.join(' ')}.`,
      header: plan.body.length > 0 ? [{ key: 'Content-Type', value: 'application/json' }] : [],
      url: {
        raw: `{{origin}}/${segments.join('/')}`,
        host: ['{{origin}}'],
        path: segments,
        variable: plan.path.map((key) => ({ key, value: String(example[key] ?? '') })),
        query: Object.keys(plan.query).map((key) => ({
          key,
          value: String(example[key] ?? ''),
          disabled: example[key] === undefined,
        })),
      },
      ...(plan.body.length > 0 ? { body: rawBody(body) } : {}),
    },
  }
}

const rawBody = (value: object) => ({
  mode: 'raw',
  raw: JSON.stringify(value, null, 2),
  options: { raw: { language: 'json' } },
})

const post = (name: string, path: string, body: object) => ({
  name,
  request: {
    method: 'POST',
    header: [{ key: 'Content-Type', value: 'application/json' }],
    url: { raw: `{{origin}}${path}`, host: ['{{origin}}'], path: path.split('/').slice(1) },
    body: rawBody(body),
  },
})

const OTHERS: readonly object[] = [
  post('Member API, with the token of a member', ENDPOINTS.memberApi, {
    query: '{ viewer { id name enrolledCourses(first: 5) { nodes { title } } } }',
  }),
  post('List the tools', TOOL_ENDPOINTS.operator, { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
]
