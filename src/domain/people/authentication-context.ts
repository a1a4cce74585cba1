import { isOperator, type Role } from '../actor/actor.ts'
import type { ProofMethod } from './sessions.ts'

const SINGLE_FACTOR = 'https://refeds.org/profile/sfa'
const MULTI_FACTOR = 'https://refeds.org/profile/mfa'
const PHISHING_RESISTANT = 'phr'

/**
 * The values of `acr` that we send, strongest first.
 *
 * @see OpenID Connect Core 1.0 §2, REFEDS SFA and MFA profiles, OpenID Connect EAP ACR Values 1.0
 * §2
 */
export const ACR_VALUES: readonly string[] = [PHISHING_RESISTANT, MULTI_FACTOR, SINGLE_FACTOR]

/** What a client may learn about how the person signed in. */
export interface AuthenticationContext {
  readonly acr: string
  readonly amr: readonly string[]
}

/**
 * The values that a client asked for and that we know, in its order; undefined if it did not ask.
 */
export function readAcrValues(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined
  return [...new Set(text.split(' '))].filter((value) => ACR_VALUES.includes(value))
}

/**
 * The first value asked for that these proofs reach; the strongest one if they reach none of them.
 */
export function contextOf(
  methods: readonly ProofMethod[],
  asked: readonly string[],
): AuthenticationContext {
  const reached = reachedBy(methods)
  const acr = asked.find((value) => reached.includes(value)) ?? (reached[0] as string)
  return { acr, amr: amrOf(methods) }
}

/** Whether the client asked for values and these proofs reach none of them. */
export function isContextMissing(
  methods: readonly ProofMethod[],
  asked: readonly string[] | undefined,
): boolean {
  if (asked === undefined || asked.length === 0) return false
  const reached = reachedBy(methods)
  return !asked.some((value) => reached.includes(value))
}

const TWO_FACTORS: ReadonlySet<ProofMethod> = new Set([
  'passkey',
  'earlier_passkey',
  'code',
  'recovery_code',
])

/**
 * Two factors: a passkey that was unlocked is a key and what unlocks it; a code is only asked for
 * beside another proof.
 */
export function isMultiFactor(methods: readonly ProofMethod[]): boolean {
  return methods.some((method) => TWO_FACTORS.has(method))
}

/**
 * Whether all that was proved is that a device is at hand, which did not check who holds it: it may
 * be found or stolen.
 */
export function isKeyAlone(methods: readonly ProofMethod[]): boolean {
  return methods.length === 1 && methods[0] === 'unverified_passkey'
}

/**
 * Whether only a device was proved, by an owner or admin, for whom that is not enough to sign in.
 * Roles change during a session, so this is asked wherever a session acts as an operator, not only
 * at sign-in.
 */
export function isDeviceAlone(
  methods: readonly ProofMethod[],
  roles: readonly Role[] | null,
): boolean {
  return isKeyAlone(methods) && isOperator(roles ?? [])
}

/**
 * Resistant to phishing is only a session whose last proof was a passkey: a password that was typed
 * later can be a thief's.
 */
function reachedBy(methods: readonly ProofMethod[]): readonly string[] {
  const isResistant = methods.includes('passkey') || methods.includes('unverified_passkey')
  return [
    ...(isResistant ? [PHISHING_RESISTANT] : []),
    ...(isMultiFactor(methods) ? [MULTI_FACTOR] : []),
    SINGLE_FACTOR,
  ]
}

/**
 * A passkey is `swk`: it may be synced, and without attestation nothing shows that hardware keeps
 * it. A trusted device and a link by mail have no value.
 *
 * @see RFC 8176 §2
 */
const AMR: Readonly<Partial<Record<ProofMethod, string>>> = {
  password: 'pwd',
  passkey: 'swk',
  unverified_passkey: 'swk',
  earlier_passkey: 'swk',
  code: 'otp',
  recovery_code: 'otp',
}

function amrOf(methods: readonly ProofMethod[]): readonly string[] {
  const values = methods.flatMap((method) => AMR[method] ?? [])
  return [...new Set(isMultiFactor(methods) ? [...values, 'mfa'] : values)]
}
