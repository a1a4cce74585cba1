import { sha256 } from '../foundation/crypto/digest.ts'
import type { SchoolContent } from './content/school-content.ts'
import { personId } from './people.ts'
import type { Stage } from './stage.ts'

const IDENTITY = ['openid', 'profile', 'email']
const MEMBER = ['account:read', 'account:write']

export interface DemoClient {
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly string[]
  /** Only a confidential application has one. */
  readonly secret?: string
}

/** Loopback URIs match on any port. @see RFC 8252 §7.3 */
export const demoRedirectUris = ['http://127.0.0.1/callback', 'http://localhost/callback'] as const

export function clientsOf({ key }: SchoolContent): readonly DemoClient[] {
  return [
    { clientId: `${key}-public`, name: 'Pocket Campus', scopes: [...IDENTITY, ...MEMBER] },
    {
      clientId: `${key}-confidential`,
      name: 'Campus Dashboard',
      scopes: [...IDENTITY, ...MEMBER],
      secret: `${key}-confidential-secret`,
    },
    { clientId: `${key}-readonly`, name: 'Progress Widget', scopes: ['openid', 'account:read'] },
    { clientId: `${key}-writeonly`, name: 'Inbox Sweeper', scopes: ['account:write'] },
  ]
}

export function addClients({ school, schoolId, clock, rows }: Stage): void {
  for (const [i, { clientId, name, scopes, secret }] of clientsOf(school).entries()) {
    const created_at = clock.at(-60 + i)
    rows.add('clients', {
      school_id: schoolId,
      client_id: clientId,
      kind: 'application',
      audience: 'member',
      name,
      confidential: secret !== undefined,
      secret_hash: secret === undefined ? null : sha256(secret),
      secret_rotated_at: secret === undefined ? null : created_at,
      redirect_uris: [...demoRedirectUris],
      scopes: [...scopes],
      created_by: personId('owner'),
      created_at,
    })
  }
}
