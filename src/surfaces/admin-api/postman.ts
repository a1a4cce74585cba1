import { API_ROOT } from '../../domain/operation/operation.ts'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS } from '../../foundation/protocol/resource-names.ts'
import { sortedResources } from './reference-page.tsx'
import { type DescribedRoute, planOf, resourceOf } from './route.ts'

/**
 * A window of the Postman app waits for this address and reads the code from it, so nothing needs
 * to listen there. Postman's other way, its option "Authorize using browser", always uses an
 * address of its own servers. No tool of the school may have that one: its codes stay on the
 * computer of the person who started it.
 */
const CALLBACK = 'http://127.0.0.1/callback'

const MEMBER_SCOPES = 'openid profile email account:read'

/**
 * Every REST operation as a request that can be sent, and one of each other interface. Postman
 * signs in by itself, with the `client_id` of a tool of the school.
 *
 * @see Postman Collection Format v2.1.0
 */
export function postmanCollection(routes: readonly DescribedRoute[], origin: string): object {
  return {
    info: {
      name: 'Schoolgate',
      description: introduction(origin),
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

const introduction = (origin: string): string =>
  [
    'For the Postman desktop app.',
    `1. An owner or admin makes a tool under Admin, Developers, Operator tools, with the redirect URI \`${CALLBACK}\` and the scopes that you need. If Developers is missing, switch on "MCP connections" under Settings first.`,
    '2. Put the client_id of the tool and the scopes into the variables of this collection.',
    '3. Under Authorization, leave "Authorize using browser" off, and choose "Get New Access Token".',
    `The Member API needs the token of a member: use a public OAuth application of the school with the same redirect URI, and the scopes \`${MEMBER_SCOPES}\`.`,
    `The guide: ${origin}/docs`,
  ].join('\n\n')

const SIGN_IN: readonly (readonly [string, string | boolean])[] = [
  ['grant_type', 'authorization_code_with_pkce'],
  ['challengeAlgorithm', 'S256'],
  ['redirect_uri', CALLBACK],
  ['useBrowser', false],
  ['authUrl', `{{origin}}${ENDPOINTS.authorize}?resource={{origin}}`],
  ['accessTokenUrl', `{{origin}}${ENDPOINTS.token}?resource={{origin}}`],
  ['clientId', '{{client_id}}'],
  ['scope', '{{scope}}'],
  ['client_authentication', 'body'],
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
