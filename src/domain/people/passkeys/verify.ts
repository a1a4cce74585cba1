import type { MakingAnswer, ProofAnswer } from './challenge.ts'

/**
 * EdDSA, ES256 and RS256: every Node that we support can check them. The library's own choice
 * differs by Node.
 */
export const ALGORITHMS = [-8, -7, -257]

/** The library takes a third of a second to load, and most processes never see a passkey. */
const loadLibrary = async () => await import('@simplewebauthn/server')

export interface VerifiedProof {
  readonly counter: number
  readonly isUserVerified: boolean
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
}

interface ProofCheck {
  readonly answer: ProofAnswer
  readonly challenge: string
  readonly party: RelyingParty
  readonly publicKey: Uint8Array
}

/**
 * Whether a device holds the private key, and what it says about itself. Undefined if anything is
 * wrong: what it is helps only an attacker. The counter is left to the caller: the library compares
 * it before the signature, and a forged answer must not look like a copied key.
 *
 * @see WebAuthn Level 3 §7.2
 */
export async function verifyProof(check: ProofCheck): Promise<VerifiedProof | undefined> {
  const { answer, challenge, party, publicKey } = check
  const { clientDataJSON, authenticatorData, signature } = answer.response
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...answer,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: answer.id, publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: false,
    })
    if (!verified) return undefined
    return {
      counter: authenticationInfo.newCounter,
      isUserVerified: authenticationInfo.userVerified,
      isBackupEligible: authenticationInfo.credentialDeviceType === 'multiDevice',
      isBackedUp: authenticationInfo.credentialBackedUp,
    }
  } catch {
    return undefined
  }
}

export interface MadePasskey extends VerifiedProof {
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly transports: readonly string[]
}

interface MakingCheck {
  readonly answer: MakingAnswer
  readonly challenge: string
  readonly party: RelyingParty
  /** Only a passkey that the browser makes by itself may lack it. */
  readonly requiresPresence: boolean
}

/** @see WebAuthn Level 3 §7.1 */
export async function verifyMaking(check: MakingCheck): Promise<MadePasskey | undefined> {
  const { answer, challenge, party, requiresPresence } = check
  const { verifyRegistrationResponse } = await loadLibrary()
  const { clientDataJSON, authenticatorData, transports } = answer.response
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...answer,
        response: { clientDataJSON, attestationObject: withoutAttestation(authenticatorData) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserPresence: requiresPresence,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || registrationInfo.credential.id !== answer.id) return undefined
    const { credential } = registrationInfo
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      transports,
      counter: credential.counter,
      isUserVerified: registrationInfo.userVerified,
      isBackupEligible: registrationInfo.credentialDeviceType === 'multiDevice',
      isBackedUp: registrationInfo.credentialBackedUp,
    }
  } catch {
    return undefined
  }
}

/**
 * The attestation object of a device that says nothing about its make: CBOR of {fmt, attStmt,
 * authData}.
 */
function withoutAttestation(authenticatorData: string): string {
  const data = Buffer.from(authenticatorData, 'base64url')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  const head = Buffer.from('\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59', 'latin1')
  return Buffer.concat([head, length, data]).toString('base64url')
}

/** What an installation may say about passkeys of several origins. */
export interface SharedPasskeys {
  /** Schools at this host and below it have passkeys of this domain. */
  readonly domain: string
  /**
   * Origins elsewhere that may use passkeys of this domain too; `/.well-known/webauthn` there lists
   * them.
   */
  readonly origins: readonly string[]
}

/** What the passkeys of a school belong to. */
export interface RelyingParty {
  /** A browser offers a passkey only where this fits. */
  readonly id: string
  /** The one origin from which an answer is accepted. */
  readonly origin: string
  /**
   * Whether the browser offers passkeys of other schools here, which are unknown here but exist.
   */
  readonly isShared: boolean
}

/**
 * The host of the school, or the domain that the installation names. A shared domain makes a
 * passkey survive a move of its school to another name below it. It opens no other school: the
 * answer must come from the school's own origin, and a passkey is looked for among those of that
 * school.
 */
export function relyingPartyOf(origin: string, shared: SharedPasskeys | undefined): RelyingParty {
  const host = new URL(origin).hostname
  return shared !== undefined && belongsTo(shared, host, origin)
    ? { id: shared.domain, origin, isShared: true }
    : { id: host, origin, isShared: false }
}

function belongsTo({ domain, origins }: SharedPasskeys, host: string, origin: string): boolean {
  return host === domain || host.endsWith(`.${domain}`) || origins.includes(origin)
}
