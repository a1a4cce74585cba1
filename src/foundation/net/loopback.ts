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

/** Names that browsers never look up on the network. */
const OWN_MACHINE = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Whether a browser or a program that opens this `hostname` stays on its own machine. Wider than the spellings above:
 * it only chooses words and the first-run page, and registers nothing.
 *
 * @see RFC 6761 §6.3
 */
export function isOwnMachine(hostname: string): boolean {
  return OWN_MACHINE.test(hostname)
}

/** Whether a server that listens on this address can be reached from this machine only. */
export function listensOnLoopback(host: string): boolean {
  return host === '::1' || (host !== '[::1]' && loopbackHosts.has(host))
}
