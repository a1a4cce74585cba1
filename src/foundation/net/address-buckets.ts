import { isIP } from 'node:net'

/** A range of addresses that is counted as one caller. */
export interface AddressBucket {
  readonly name: string
  /** The limit of this bucket: so many times the limit of a single caller. */
  readonly times: number
}

/**
 * What to count a caller by, narrowest first. One IPv6 household owns a /64, and many providers give a /56 or a /48 to
 * one customer. Counting single addresses would give an attacker 2^64 fresh allowances, and counting only
 * by /64 would give 65,536 to the owner of a /48. The wider ranges are shared by more people, so they have wider limits.
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

/** The narrowest bucket, for a key that counts something else too, such as a client at this address. */
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
