import { BlockList, isIP } from 'node:net'

/**
 * The caller's address: the socket's, or the one that trusted proxies name in `X-Forwarded-For`.
 * An entry that is no address falls back to the peer that sent it.
 */
export function clientAddress(request: {
  readonly ip: string
  readonly raw: { readonly socket: { readonly remoteAddress?: string | undefined } }
}): string {
  return (
    parseAddress(request.ip) ?? parseAddress(request.raw.socket.remoteAddress ?? '') ?? 'unknown'
  )
}

function parseAddress(text: string): string | undefined {
  const plain = unmapIPv4(text)
  if (isIP(plain) !== 0) return plain
  // Some load balancers append the caller's port.
  const withPort = /^(?:\[([0-9a-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3})):\d{1,5}$/i.exec(text)
  const address = unmapIPv4(withPort?.[1] ?? withPort?.[2] ?? '')
  return isIP(address) === 0 ? undefined : address
}

/** Tells from which peers the server believes `X-Forwarded-*` and `X-Request-Id`. */
export type TrustProxy = { readonly trusts: (address: string | undefined) => boolean }

export const trustNoProxy: TrustProxy = { trusts: () => false }

const LOOPBACK = ['127.0.0.0/8', '::1']
const REMEMBERED_PEERS = 256

/**
 * Reads a list such as `loopback, 10.0.0.0/8, 2001:db8::5`.
 *
 * A hop count is refused on purpose: a client that reaches the port directly can invent as many
 * hops as the count allows, and could then choose the origin of its request, and with it the
 * school.
 */
export function parseTrustProxy(text: string): TrustProxy {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  if (entries.length === 0) return trustNoProxy
  const list = new BlockList()
  for (const entry of entries) {
    for (const range of entry.toLowerCase() === 'loopback' ? LOOPBACK : [entry])
      addRange(list, range)
  }
  return { trusts: remember((address) => isListed(list, address)) }
}

/** A dual-stack socket names the IPv4 peer 10.0.0.1 as `::ffff:10.0.0.1`. */
function unmapIPv4(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)
  return mapped?.[1] ?? address
}

function addRange(list: BlockList, range: string): void {
  const [address = '', prefix, ...rest] = range.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) throw invalidEntry(range)
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (prefix === undefined) {
    list.addAddress(address, family)
    return
  }
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (!(bits <= (version === 4 ? 32 : 128))) throw invalidEntry(range)
  list.addSubnet(address, bits, family)
}

function invalidEntry(range: string): RangeError {
  return new RangeError(
    'a list of the addresses that your proxy connects from: IP addresses, CIDR ranges such as 10.0.0.0/8 ' +
      `or the word loopback, not a number of hops or true ("${range}" is none of them)`,
  )
}

function isListed(list: BlockList, address: string): boolean {
  const plain = unmapIPv4(address)
  const version = isIP(plain)
  return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
}

function remember(decide: (address: string) => boolean): TrustProxy['trusts'] {
  const known = new Map<string, boolean>()
  return (address) => {
    if (address === undefined) return false
    const remembered = known.get(address)
    if (remembered !== undefined) return remembered
    const decided = decide(address)
    if (known.size >= REMEMBERED_PEERS) known.clear()
    known.set(address, decided)
    return decided
  }
}
