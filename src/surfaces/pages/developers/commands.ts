import { DOCUMENTS, ENDPOINTS } from '../../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS } from '../../../foundation/protocol/resource-names.ts'

/**
 * The commands of the guide. A quick start copies them as a whole; the steps explain them one by
 * one.
 */

export type GuideAudience = 'member' | 'operator'

interface Origin {
  readonly origin: string
  readonly signsIdTokens: boolean
}

const lines = (...parts: readonly string[]): string => parts.join('\n')

const BEARER = '  -H "Authorization: Bearer $ACCESS_TOKEN"'
const JSON_BODY = "  -H 'Content-Type: application/json' \\"

export function discoverCommands(origin: string): string {
  const { authorizationServer, openidConfiguration, protectedResource } = DOCUMENTS
  const documents = [authorizationServer, openidConfiguration, protectedResource]
  return lines(...documents.map((path) => `curl ${origin}${path}`))
}

/** With `openid` only where it brings an ID token: libraries that ask for it fail without one. */
export function setClient(audience: GuideAudience, { origin, signsIdTokens }: Origin): string {
  const openid = signsIdTokens ? 'openid+' : ''
  return audience === 'member'
    ? lines('CLIENT_ID=YOUR_CLIENT_ID', `SCOPE=${openid}profile+email+account:read`)
    : lines(`CLIENT_ID=${origin}/clients/YOUR_TOOL.json`, `SCOPE=${openid}courses:read`)
}

export const MAKE_VERIFIER = lines(
  "VERIFIER=$(openssl rand -base64 48 | tr -d '\\n' | tr '+/' '-_')",
  'CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary |',
  "  openssl base64 -A | tr '+/' '-_' | tr -d =)",
)

export function printAddress({ origin, signsIdTokens }: Origin): string {
  return lines(
    `echo "${origin}${ENDPOINTS.authorize}?response_type=code\\`,
    '&client_id=$CLIENT_ID&scope=$SCOPE\\',
    '&redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback\\',
    `&resource=${encodeURIComponent(origin)}\\`,
    '&code_challenge=$CHALLENGE&code_challenge_method=S256\\',
    `&state=RANDOM${signsIdTokens ? '&nonce=RANDOM' : ''}"`,
  )
}

export const PASTE_CODE = 'CODE=THE_CODE_FROM_THE_ADDRESS_BAR'

/** Shows an answer of the token endpoint and keeps its tokens for the commands that follow. */
const TAKE_TOKENS = [
  'echo "$ANSWER"',
  ...['access_token', 'refresh_token'].map(
    (name) => `${name.toUpperCase()}=$(echo "$ANSWER" | sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/')`,
  ),
]

export function exchangeCode(origin: string): string {
  return lines(
    `ANSWER=$(curl -s ${origin}${ENDPOINTS.token} \\`,
    '  -d grant_type=authorization_code --data-urlencode client_id="$CLIENT_ID" \\',
    '  -d code="$CODE" -d code_verifier="$VERIFIER" \\',
    '  --data-urlencode redirect_uri=http://127.0.0.1:8400/callback \\',
    `  --data-urlencode resource=${origin})`,
    ...TAKE_TOKENS,
  )
}

export function refreshPair(origin: string): string {
  return lines(
    `ANSWER=$(curl -s ${origin}${ENDPOINTS.token} \\`,
    '  -d grant_type=refresh_token --data-urlencode client_id="$CLIENT_ID" \\',
    '  -d refresh_token="$REFRESH_TOKEN" \\',
    `  --data-urlencode resource=${origin})`,
    ...TAKE_TOKENS,
  )
}

export function revokePair(origin: string): string {
  return lines(
    `curl ${origin}${ENDPOINTS.revoke} \\`,
    '  --data-urlencode client_id="$CLIENT_ID" -d token="$REFRESH_TOKEN"',
  )
}

export function askUserInfo(origin: string): string {
  return `curl ${origin}${ENDPOINTS.userinfo}${BEARER.slice(1)}`
}

export function askMemberApi(origin: string): string {
  return lines(
    `curl ${origin}${ENDPOINTS.memberApi} \\`,
    `${BEARER} \\`,
    JSON_BODY,
    `  -d '{"query": "{ viewer { id name enrolledCourses(first: 5) { nodes { title } } } }"}'`,
  )
}

export function askRest(origin: string): string {
  return lines(`curl "${origin}/api/v1/courses?limit=5" \\`, BEARER)
}

export function callTool(audience: GuideAudience, origin: string): string {
  const call = {
    member: [`    "name": "my_courses", "arguments": {}}}'`],
    operator: [
      `    "name": "read_teaching",`,
      `    "arguments": {"action": "courses.list", "input": {"limit": 5}}}}'`,
    ],
  }[audience]
  return lines(
    `curl ${origin}${TOOL_ENDPOINTS[audience]} \\`,
    `${BEARER} \\`,
    JSON_BODY,
    `  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {`,
    ...call,
  )
}
