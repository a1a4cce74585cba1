import { SIGNING_KEY_PURPOSE } from '../domain/schools/signing.ts'
import { generateEs256Key } from '../foundation/crypto/es256.ts'
import { type Keyring, seal } from '../foundation/crypto/seal.ts'
import { demoAcademy } from './content/demo-academy.ts'
import { harborSchool } from './content/harbor-school.ts'
import { heritageSchool } from './content/heritage-school.ts'
import type { SchoolContent } from './content/school-content.ts'
import type { Stage } from './stage.ts'

export const demoSchools: readonly SchoolContent[] = [demoAcademy, harborSchool, heritageSchool]

/** `demo` is at localhost, the others at subdomains of it; an origin does not contain port 80. */
export function originOf(school: SchoolContent, port: number): string {
  const host = school.key === 'demo' ? 'localhost' : `${school.key}.localhost`
  return new URL(`http://${host}:${port}`).origin
}

export function addSchool({ school, schoolId, clock, rows }: Stage, port: number): void {
  const [primary, accent] = school.colors
  rows.add('schools', {
    id: schoolId,
    subdomain: school.key,
    origin: originOf(school, port),
    name: school.name,
    description: school.description,
    contact_email: `hello@${school.key}.test`,
    time_zone: school.timeZone,
    currency: school.currency,
    variant: school.variant,
    mcp_connections: school.mcpConnections,
    // Client metadata documents from this machine, for experiments.
    document_hosts: ['127.0.0.1', 'localhost'],
    created_at: clock.at(-1300),
  })
  rows.add('appearances', {
    school_id: schoolId,
    primary_color: primary,
    accent_color: accent,
    tagline: school.tagline,
    created_at: clock.at(-1300),
  })
}

/**
 * Published three days ago, so every cache of the key set has it and an operator can activate it at
 * once.
 */
export function addSigningKey({ school, schoolId, clock, rows }: Stage, keyring: Keyring): void {
  if (school.keyStage === 'none') return
  const pair = generateEs256Key()
  rows.add('signing_keys', {
    school_id: schoolId,
    kid: pair.kid,
    stage: school.keyStage,
    public_jwk: JSON.stringify(pair.publicJwk),
    sealed_private_key: seal(keyring.key(SIGNING_KEY_PURPOSE), pair.privateKey, schoolId),
    published_at: clock.at(-3),
    activated_at: school.keyStage === 'active' ? clock.at(-1) : null,
  })
}
