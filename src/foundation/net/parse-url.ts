/**
 * Undefined if the text is no URL. Use it instead of `URL.canParse`, which in Node 20 misreads
 * letters such as ü as soon as it runs in compiled code: the same URL is then first valid, and
 * later not. A text that is no URL costs about ten times as much as a URL, so look at the beginning
 * of the text first where requests send many others.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

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
 * Whether a browser or a program that opens this `hostname` stays on its own machine. Wider than
 * the spellings above: it only chooses words and the first-run page, and registers nothing.
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

/**
 * A part of a host name between two dots, in lower case, as the text of a regular expression. Names
 * inside a network have underscores, too.
 */
export const HOST_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
