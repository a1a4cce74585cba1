import type { Caller } from './caller.ts'
import type { ClientApp } from './session.ts'

const REDIRECT_URI = 'http://127.0.0.1:9876/callback'
const MEMBER_SCOPE = 'openid profile email account:read account:write'

/** Applications of the demo world. */
export const MEMBER_CLIENTS: readonly ClientApp[] = [
  { clientId: 'demo-public', redirectUri: REDIRECT_URI, scope: MEMBER_SCOPE },
  {
    clientId: 'demo-confidential',
    secret: 'demo-confidential-secret',
    redirectUri: REDIRECT_URI,
    scope: MEMBER_SCOPE,
  },
]

/** A platform of a vendor, which acts for the school's owner. */
export async function registerOperatorClient(caller: Caller): Promise<ClientApp> {
  const reply = await caller.send({
    path: '/api/oauth/register',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Claude' }),
  })
  if (reply === undefined || reply.status >= 300) throw new Error(`no client: ${reply?.body}`)
  const { client_id: clientId, redirect_uris } = JSON.parse(reply.body)
  const [redirectUri = ''] = (redirect_uris as string[]).filter((uri) => uri.startsWith('http:'))
  return { clientId, redirectUri, scope: 'courses:read courses:write' }
}
