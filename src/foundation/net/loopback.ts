const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * The three spellings of "this machine" that URLs here may use, as a parsed URL's `hostname` gives
 * them. Other names below `localhost` and the rest of 127.0.0.0/8 are deliberately not among them.
 *
 * @see RFC 8252 §7.3
 */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackHosts.has(hostname)
}

/** Whether a server that listens on this address can be reached from this machine only. */
export function listensOnLoopback(host: string): boolean {
  return host === '::1' || (host !== '[::1]' && loopbackHosts.has(host))
}
