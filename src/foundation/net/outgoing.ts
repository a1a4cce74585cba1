export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  /**
   * The operator has chosen the other server. It may learn of the trace; a host that a stranger
   * chose may not.
   */
  readonly isOurs: boolean
}

/** Follows a request that the server sends to another one. */
export interface Outgoing {
  /** To send along. */
  readonly headers: Readonly<Record<string, string>>
  /** Without a reason it has succeeded. */
  readonly ended: (failure?: string) => void
}

export type OutgoingObserver = (request: OutgoingRequest) => Outgoing | undefined
