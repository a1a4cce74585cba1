import { plainText } from '../../../foundation/html/plain-text.ts'
import { markdownText } from '../../../foundation/html/to-markdown.ts'
import { DOCUMENTS, ENDPOINTS } from '../../../foundation/protocol/endpoints.ts'
import { TOOL_ENDPOINTS } from '../../../foundation/protocol/resource-names.ts'
import type { GuideFacts } from './guide-facts.ts'

/** How a program gets and keeps access here, for programs that read one file. */
export function authMarkdown(facts: GuideFacts): string {
  const { origin, variant, signsIdTokens } = facts
  const at = (path: string) => origin + path
  return `# Access to ${markdownText(plainText(facts.name))}

Issuer and \`resource\`: \`${origin}\`. A person always signs in and allows: the authorization-code flow with PKCE (S256) is the only way to a token. The whole guide: ${at(DOCUMENTS.guideMarkdown)}

## 1. Discover

- ${at(DOCUMENTS.authorizationServer)}: endpoints, grant types, scopes. It decides if this file and it differ.
- ${at(DOCUMENTS.openidConfiguration)}: the same for OpenID Connect.
- ${at(DOCUMENTS.protectedResource)}: the \`resource\` to ask for.

## 2. Choose

- For a member's own data: scopes \`account:read\` and \`account:write\`; the Member API (GraphQL) at \`${at(ENDPOINTS.memberApi)}\`, its schema at ${at(DOCUMENTS.graphqlSchema)}, tools (MCP) at \`${at(TOOL_ENDPOINTS.member)}\`.
- To run the school, as an owner or admin: scopes such as \`courses:read\`; the REST API described at ${at(DOCUMENTS.openapi)}, tools (MCP) at \`${at(TOOL_ENDPOINTS.operator)}\`.
- Without a token: the public tools at both tool addresses. The Member API and the REST API answer nothing without one.

## 3. Register

- Member clients: an operator of the school makes the application in the admin area (Developers, OAuth applications) and gives you the \`client_id\`. There is no self-service.${assistantsNote(facts)}${betaNote(facts)}
- Operator clients: ${operatorRoads(facts)}
- A client metadata document is JSON of at most 5 KB, over https and without redirects. Its \`client_id\` is its own address, and every one of its \`redirect_uris\` is on its host or on loopback. Until the school has reviewed it, it gets identity and read scopes only.
- A platform that this server knows: \`POST ${at(ENDPOINTS.register)}\` with its \`client_name\`. Any other name is \`invalid_client_metadata\`.

## 4. Get a token and use it

1. Send the person to \`${at(ENDPOINTS.authorize)}\` with \`response_type=code\`, \`client_id\`, \`redirect_uri\`, \`scope\`, \`resource=${origin}\`, \`code_challenge\`, \`code_challenge_method=S256\`${signsIdTokens ? ', a random `state` and a random `nonce`' : ' and a random `state`'}. Check \`state\` and \`iss\` in the answer.
2. \`POST ${at(ENDPOINTS.token)}\` as a form with \`grant_type=authorization_code\`, \`code\`, \`redirect_uri\`, \`client_id\`, \`code_verifier\` and the same \`resource\`. A confidential application adds \`client_secret\` to the form; HTTP Basic is refused.
3. Call with \`Authorization: Bearer ACCESS_TOKEN\`. It lasts two hours. ${signsIdTokens ? 'With the scope `openid` the exchange also gives an ID token (ES256, ten minutes); a refresh gives none.' : 'This origin signs no ID tokens: leave `openid` out and read UserInfo.'}
4. Who signed in: \`GET ${at(ENDPOINTS.userinfo)}\`.
5. Refresh with \`grant_type=refresh_token\`, \`refresh_token\`, \`client_id\` and \`resource\`; a confidential application adds \`client_secret\`. If the answer is lost, send the old refresh token again: the old pair works until the new access token is used for the first time.

Keep the \`resource\` beside the token: a token for another origin is refused, and ${variant === 'older' ? `only introspection (\`${at(ENDPOINTS.introspect)}\`) tells what a token is bound to` : 'nothing tells later what a token is bound to'}.

## 5. Handle errors

Every code is explained at ${at(DOCUMENTS.errors)}, as Markdown at ${at(DOCUMENTS.errorsMarkdown)}.

- 401 \`invalid_token\`: refresh once, then start a new authorization.
- 403 \`insufficient_scope\`: ask for the scopes in \`WWW-Authenticate\` in a new authorization.
${variant === 'newer' ? '- 200 with `errors` from the Member API: also a missing scope, if the token has the other account scope. Read `errors`, not only the status.' : '- 200 with `errors` from the Member API: a part of the query failed. A missing scope is always a 403 here.'}
- 400 \`invalid_grant\`: start a new authorization.
- 429 and 503: wait for \`Retry-After\` and keep your tokens.

## 6. Revoke

\`POST ${at(ENDPOINTS.revoke)}\` with \`token\` and \`client_id\`${variant === 'newer' ? ', and `client_secret` if the application is confidential' : ''}. Send the refresh token: that always ends the pair. An expired access token ends nothing. A new authorization ends no earlier one, so sign out on each device.

## Not supported

No client credentials, no password or device grant, no token exchange. No agent identity assertions (ID-JAG), no service tokens, no anonymous registration that a person claims later: there is no \`identity_endpoint\` and no \`register_uri\`. No open dynamic registration. No \`plain\` PKCE, no HTTP Basic, no \`private_key_jwt\`, no mutual TLS, no DPoP. No implicit flow, no \`response_mode\` but \`query\`, no request objects, no pushed authorization requests. No silent sign-in: consent is asked every time, so \`prompt=none\` always fails. No ID token from a refresh. No webhooks.${variant === 'newer' ? ' No introspection.' : ''}
`
}

function betaNote({ mcpConnections }: GuideFacts): string {
  if (mcpConnections) return ''
  return ' This school has not switched on the beta feature “MCP connections”, so its admin area shows no Developers group: an owner or admin switches it on first, under Settings.'
}

function operatorRoads({
  origin,
  documents,
  foreignDocuments,
  mcpConnections,
}: GuideFacts): string {
  const tool = `a tool of the school (Admin, Developers, Operator tools${mcpConnections ? '' : ', with “MCP connections” on'}), whose \`client_id\` is \`${origin}/clients/NAME.json\``
  const own = foreignDocuments
    ? 'or your own client metadata document on a host that the school permits, whose URL is the `client_id`'
    : 'or your own client metadata document, once the school permits its host; it permits none now'
  return `${tool}; ${own}. \`client_id_metadata_document_supported\` is \`${documents}\` here.`
}

function assistantsNote({ origin, mcpConnections }: GuideFacts): string {
  if (!mcpConnections) return ''
  return ` Members find the \`client_id\` of each assistant that the school offers, with the steps, at ${origin}/account/assistants.`
}
