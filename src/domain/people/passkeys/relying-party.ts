/** What an installation may say about passkeys of several origins. */
export interface SharedPasskeys {
  /** Schools at this host and below it have passkeys of this domain. */
  readonly domain: string
  /** Origins elsewhere that may use passkeys of this domain too; `/.well-known/webauthn` there lists them. */
  readonly origins: readonly string[]
}

/** What the passkeys of a school belong to. */
export interface RelyingParty {
  /** A browser offers a passkey only where this fits. */
  readonly id: string
  /** The one origin from which an answer is accepted. */
  readonly origin: string
  /** Whether the browser offers passkeys of other schools here, which are unknown here but exist. */
  readonly isShared: boolean
}

/**
 * The host of the school, or the domain that the installation names. A shared domain makes a passkey survive a move of
 * its school to another name below it. It opens no other school: the answer must come from the school's own
 * origin, and a passkey is looked for among those of that school.
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
