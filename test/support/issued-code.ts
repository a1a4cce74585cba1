import { type Consent, issueCode } from '../../src/domain/grants/decide-consent.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { SchoolDb } from '../../src/foundation/db/school-db.ts'

type Given = Pick<Consent, 'clientId' | 'userId' | 'resource' | 'redirectUri' | 'codeChallenge'>

/**
 * A code without the consent page, for tests that need hundreds, in a new browser session of the
 * person.
 */
export async function anIssuedCode(db: SchoolDb, given: Given & Partial<Consent>): Promise<string> {
  const issued = await issueCode(db, {
    sessionId: await aSession(db, given.userId),
    audience: 'member',
    scopes: ['account:read', 'openid'],
    nonce: undefined,
    authenticatedAt: new Date(),
    context: undefined,
    device: 'a test',
    allowedAt: new Date(),
    ...given,
  })
  if (issued.kind !== 'issued') throw new Error(`no code: ${issued.kind}`)
  return issued.code
}

async function aSession(db: SchoolDb, userId: string): Promise<string> {
  const id = uuidv7()
  const expires_at = new Date(Date.now() + 60 * 60 * 1000)
  await db
    .insert('browser_sessions', { id, secret_hash: sha256(id), user_id: userId, expires_at })
    .execute()
  return id
}
