import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

export interface PublicJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
}

export interface SigningKeyPair {
  readonly kid: string
  readonly publicJwk: PublicJwk
  /** PKCS #8; seal it before storing it. */
  readonly privateKey: Buffer
}

/**
 * A new P-256 key, named by its RFC 7638 thumbprint. A thumbprint that begins with `-` or `_` is
 * passed over, because on a command line `-` begins an option: one key in 32 is made again.
 */
export function generateEs256Key(): SigningKeyPair {
  for (;;) {
    const key = generateKey()
    if (/^[A-Za-z0-9]/.test(key.kid)) return key
  }
}

function generateKey(): SigningKeyPair {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = pair.publicKey.export({ format: 'jwk' })
  if (x === undefined || y === undefined) throw new Error('P-256 key without coordinates')
  const publicJwk: PublicJwk = { kty: 'EC', crv: 'P-256', x, y }
  return {
    kid: thumbprint(publicJwk),
    publicJwk,
    privateKey: pair.privateKey.export({ format: 'der', type: 'pkcs8' }),
  }
}

/** @see RFC 7638 §3.2 (members in this order, no white space) */
function thumbprint({ crv, kty, x, y }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

export function readPrivateKey(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
}

/**
 * A compact JWS. Signed synchronously with node:crypto: a fifth of a millisecond, where WebCrypto
 * would queue behind password hashes on the thread pool.
 *
 * @see RFC 7515 §7.1, RFC 7518 §3.4
 */
export function signEs256(
  key: KeyObject,
  kid: string,
  claims: Readonly<Record<string, unknown>>,
): string {
  const header = encode({ alg: 'ES256', kid, typ: 'JWT' })
  const signed = `${header}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** A compact JWS whose signature is not checked yet, so its claims cannot be read. */
export interface UncheckedJws {
  readonly kid: string
  readonly claimsIfSignedBy: (key: PublicJwk) => Readonly<Record<string, unknown>> | undefined
}

const COMPACT_JWS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/
const KID = /^[A-Za-z0-9_-]{1,100}$/

/**
 * Undefined if the text is no JWS of ours. The header only names the key: the algorithm is ES256,
 * whatever it says, and another one (`none` too) or a `crit` is refused.
 *
 * @see RFC 7515 §5.2, RFC 8725 §3.1
 */
export function parseEs256(text: string): UncheckedJws | undefined {
  const [, header = '', payload = '', signature = ''] = COMPACT_JWS.exec(text) ?? []
  const { alg, kid, crit } = decode(header) ?? {}
  if (alg !== 'ES256' || crit !== undefined) return undefined
  if (typeof kid !== 'string' || !KID.test(kid)) return undefined
  return {
    kid,
    claimsIfSignedBy({ kty, crv, x, y }) {
      const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
      const signed = Buffer.from(`${header}.${payload}`)
      const bytes = Buffer.from(signature, 'base64url')
      const isRight = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes)
      return isRight ? decode(payload) : undefined
    },
  }
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
