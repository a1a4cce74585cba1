import { isIP } from 'node:net'

interface Range {
  readonly network: Uint8Array
  readonly prefix: number
}

/**
 * IPv4 that is special-use (RFC 6890 and the IANA registry it started), multicast or reserved.
 * The few globally reachable entries of the registry are refused too: there are no websites there.
 */
const specialV4 = ranges([
  '0.0.0.0/8', // "this network": many systems dial themselves on 0.0.0.0
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and the metadata service of one cloud
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, and the metadata service of one cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunnelling
  '192.88.99.0/24', // 6to4 relays: the packet goes to an embedded address
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and the limited broadcast address
  '168.63.129.16/32', // looks public, but Azure's own host agent answers there
])

/**
 * The only IPv6 range assigned for global unicast (RFC 4291 §2.4). Addresses with an embedded IPv4
 * address (mapped, compatible, NAT64 under 64:ff9b), loopback, local, discard-only and multicast
 * lie outside of it, so they need no entries.
 */
const globalUnicast = range('2000::/3')

/** Ranges inside 2000::/3 that are not hosts on the public internet. */
const specialV6 = ranges([
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID, anycast
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: the packet goes to an embedded IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the former 6bone
  '3fff::/20', // documentation
])

const loopbackRanges = ranges(['127.0.0.0/8', '::1/128'])

/**
 * True for a canonical IP address on the public internet. Anything else is false: special-use
 * ranges, IPv6 forms that embed an IPv4 address, zone ids, and spellings such as `0x7f.1`,
 * `010.0.0.1` or `127.1` that some resolvers would still dial.
 *
 * @see RFC 6890
 */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  if (address === undefined) return false
  if (address.length === 4) return !isWithin(address, specialV4)
  return (
    contains(globalUnicast, address) && !isWithin(address, specialV6) && !isIsatapAddress(address)
  )
}

export function isLoopbackAddress(ip: string): boolean {
  const address = parseAddress(ip)
  return address !== undefined && isWithin(address, loopbackRanges)
}

/** ISATAP hides an IPv4 address in the interface id of any prefix (RFC 5214 §6.1). */
function isIsatapAddress(address: Uint8Array): boolean {
  return (
    (address[8] === 0x00 || address[8] === 0x02) &&
    address[9] === 0x00 &&
    address[10] === 0x5e &&
    address[11] === 0xfe
  )
}

function parseAddress(ip: string): Uint8Array | undefined {
  const version = isIP(ip)
  if (version === 4) return Uint8Array.from(ip.split('.'), Number)
  // A zone id selects a network interface of this machine; public addresses have none.
  if (version === 6 && !ip.includes('%')) return parseV6(ip)
  return undefined
}

function parseV6(ip: string): Uint8Array {
  const [head = '', tail] = ip.split('::')
  const front = groups(head)
  const back = tail === undefined ? [] : groups(tail)
  const gap = new Array<number>(16 - front.length - back.length).fill(0)
  return Uint8Array.from([...front, ...gap, ...back])
}

function groups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

function range(cidr: string): Range {
  const [ip = '', prefix] = cidr.split('/')
  const network = parseAddress(ip)
  if (network === undefined) throw new Error(`not an address range: ${cidr}`)
  return { network, prefix: Number(prefix) }
}

function ranges(cidrs: readonly string[]): readonly Range[] {
  return cidrs.map(range)
}

function isWithin(address: Uint8Array, candidates: readonly Range[]): boolean {
  return candidates.some((candidate) => contains(candidate, address))
}

function contains({ network, prefix }: Range, address: Uint8Array): boolean {
  if (network.length !== address.length) return false
  return network.every((byte, index) => {
    const bits = Math.min(Math.max(prefix - index * 8, 0), 8)
    const mask = (0xff << (8 - bits)) & 0xff
    return (byte & mask) === ((address[index] ?? 0) & mask)
  })
}

/** A range of addresses that is counted as one caller. */
export interface AddressBucket {
  readonly name: string
  /** The limit of this bucket: so many times the limit of a single caller. */
  readonly times: number
}

/**
 * What to count a caller by, narrowest first. One IPv6 household owns a /64, and many providers
 * give a /56 or a /48 to one customer. Counting single addresses would give an attacker 2^64 fresh
 * allowances, and counting only by /64 would give 65,536 to the owner of a /48. The wider ranges
 * are shared by more people, so they have wider limits.
 *
 * @see RFC 6177 §2
 */
export function addressBuckets(address: string): readonly [AddressBucket, ...AddressBucket[]] {
  if (isIP(address) !== 6) return [{ name: address, times: 1 }]
  const [a, b, c, d = '0'] = expandIPv6(address)
  const upperHalf = (Number.parseInt(d, 16) & 0xff00).toString(16)
  return [
    { name: `${a}:${b}:${c}:${d}::/64`, times: 1 },
    { name: `${a}:${b}:${c}:${upperHalf}::/56`, times: 4 },
    { name: `${a}:${b}:${c}::/48`, times: 16 },
  ]
}

/**
 * The narrowest bucket, for a key that counts something else too, such as a client at this address.
 */
export function addressBucket(address: string): string {
  return addressBuckets(address)[0].name
}

function expandIPv6(address: string): string[] {
  const canonical = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}
