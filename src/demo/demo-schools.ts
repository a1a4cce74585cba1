import type { NewSchool } from '../domain/schools/school-details.ts'
import { demoId } from './demo-id.ts'

/** A school of the demo world; what it teaches, sells and says is in `assets/demo/`. */
export interface DemoSchool extends Omit<NewSchool, 'origin'> {
  readonly time_zone: string
  readonly variant: 'newer' | 'older'
  readonly mcp_connections: boolean
  readonly appearance: Readonly<Record<'primary_color' | 'accent_color' | 'tagline', string>>
  readonly keyStage: 'active' | 'published' | 'none'
}

export const demoAcademy: DemoSchool = {
  subdomain: 'demo',
  name: 'Demo Academy',
  description: 'Code, data, letters and voices: small courses by people who answer.',
  appearance: {
    primary_color: '#3b4cca',
    accent_color: '#0f766e',
    tagline: 'Learn one thing well.',
  },
  currency: 'TWD',
  time_zone: 'Asia/Taipei',
  variant: 'newer',
  mcp_connections: true,
  keyStage: 'active',
}

const harborSchool: DemoSchool = {
  subdomain: 'harbor',
  name: 'Harbor School',
  description: 'Seamanship and seeing, taught on the pier and at your desk.',
  appearance: { primary_color: '#0b5c8a', accent_color: '#b45309', tagline: 'Know where you are.' },
  currency: 'USD',
  time_zone: 'Pacific/Honolulu',
  variant: 'newer',
  mcp_connections: false,
  keyStage: 'published',
}

const heritageSchool: DemoSchool = {
  subdomain: 'heritage',
  name: 'Heritage School',
  description: 'Crafts of the book and the spoken word, since before the web.',
  appearance: {
    primary_color: '#7c2d12',
    accent_color: '#3f6212',
    tagline: 'Slow hands, long memory.',
  },
  currency: 'EUR',
  time_zone: 'Europe/Vienna',
  variant: 'older',
  mcp_connections: true,
  keyStage: 'none',
}

export const demoSchools: readonly DemoSchool[] = [demoAcademy, harborSchool, heritageSchool]

export function schoolId({ subdomain }: DemoSchool): string {
  return demoId(`school/${subdomain}`)
}

/** `demo` is at localhost, the others at subdomains of it; an origin does not contain port 80. */
export function originOf({ subdomain }: DemoSchool, port: number): string {
  const host = subdomain === 'demo' ? 'localhost' : `${subdomain}.localhost`
  return new URL(`http://${host}:${port}`).origin
}

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

export function clientsOf({ subdomain }: DemoSchool): readonly DemoClient[] {
  return [
    { clientId: `${subdomain}-public`, name: 'Pocket Campus', scopes: [...IDENTITY, ...MEMBER] },
    {
      clientId: `${subdomain}-confidential`,
      name: 'Campus Dashboard',
      scopes: [...IDENTITY, ...MEMBER],
      secret: `${subdomain}-confidential-secret`,
    },
    {
      clientId: `${subdomain}-readonly`,
      name: 'Progress Widget',
      scopes: ['openid', 'account:read'],
    },
    { clientId: `${subdomain}-writeonly`, name: 'Inbox Sweeper', scopes: ['account:write'] },
  ]
}
