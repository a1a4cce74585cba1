import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopbackAddress, isPublicAddress } from './address.ts'

/** First and last address of each refused IPv4 range, and the public neighbours of both ends. */
const v4Ranges: readonly (readonly [string, string, string | null, string | null])[] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0', '255.255.255.255', null, null],
]

describe('public IPv4', () => {
  test.each(v4Ranges)('ends exactly at %s and %s', (first, last, before, after) => {
    expect(isPublicAddress(first)).toBe(false)
    expect(isPublicAddress(last)).toBe(false)
    if (before !== null) expect(isPublicAddress(before)).toBe(true)
    if (after !== null) expect(isPublicAddress(after)).toBe(true)
  })

  test.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '100.63.0.1', '172.15.0.1', '223.255.255.255'])(
    'includes %s',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  )
})

describe('public IPv6', () => {
  test.each([
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001:81b::200e',
    '2001:200::1',
  ])('includes %s', (ip) => expect(isPublicAddress(ip)).toBe(true))

  test.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback, written out', '0:0:0:0:0:0:0:1'],
    ['IPv4-mapped private', '::ffff:10.0.0.1'],
    ['IPv4-mapped metadata service in hex', '::ffff:a9fe:a9fe'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-mapped, written out', '0:0:0:0:0:ffff:7f00:1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible public', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of a public address', '64:ff9b::8.8.8.8'],
    ['local-use NAT64', '64:ff9b:1::a9fe:a9fe'],
    ['local-use NAT64, last', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discard-only', '100::1'],
    ['dummy prefix', '100:0:0:1::1'],
    ['Teredo', '2001::1'],
    ['Teredo with its server and client', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['port control anycast', '2001:1::1'],
    ['benchmarking', '2001:2::1'],
    ['AMT', '2001:3::1'],
    ['AS112', '2001:4:112::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['protocol assignments, last', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '2001:db8::1'],
    ['documentation, the newer one', '3fff::1'],
    ['documentation, the newer one, last', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['AS112 direct delegation', '2620:4f:8000::1'],
    ['former 6bone', '3ffe::1'],
    ['ISATAP under a public prefix', '2606:4700::5efe:10.0.0.1'],
    ['ISATAP with the universal bit', '2606:4700::200:5efe:10.0.0.1'],
    ['ISATAP, link-local', 'fe80::5efe:192.168.0.1'],
    ['unassigned, low', '1fff::1'],
    ['unassigned, high', '4000::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['unique local, a metadata service', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local, last', 'febf::1'],
    ['site-local', 'fec0::1'],
    ['multicast, interface', 'ff01::1'],
    ['multicast, global', 'ff0e::1'],
    ['last of all', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('excludes %s: %s', (_, ip) => expect(isPublicAddress(ip)).toBe(false))
})

describe('what is no address', () => {
  test.each([
    '',
    ' ',
    'localhost',
    'example.com',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '010.0.0.1',
    '8.8.8.08',
    '8.8.8.8.',
    '8.8.8.8 ',
    '8.8.8.8/32',
    '8.8.8.8:443',
    '8.8.8.256',
    '８.8.8.8',
    '[2606:4700:4700::1111]',
    '2606:4700:4700::1111%eth0',
    'fe80::1%lo',
    '2606:4700:4700:::1111',
    '2606:4700:4700::1111::1',
    '12345::1',
  ])('is not public: %j', (text) => {
    expect(isPublicAddress(text)).toBe(false)
    expect(isLoopbackAddress(text)).toBe(false)
  })
})

describe('loopback', () => {
  test.each(['127.0.0.1', '127.255.255.255', '::1', '0:0::1'])('includes %s', (ip) =>
    expect(isLoopbackAddress(ip)).toBe(true),
  )

  test.each(['0.0.0.0', '::', '128.0.0.1', '::2', '::ffff:127.0.0.1', '10.0.0.1', '8.8.8.8'])(
    'excludes %s',
    (ip) => expect(isLoopbackAddress(ip)).toBe(false),
  )
})

/** Node's own range matcher, as a second opinion on ours. */
const specialV4 = new BlockList()
for (const [first, last] of v4Ranges) specialV4.addRange(first, last)
const globalV6 = new BlockList()
globalV6.addSubnet('2000::', 3, 'ipv6')
const specialV6 = new BlockList()
specialV6.addSubnet('2001::', 23, 'ipv6')
specialV6.addSubnet('2001:db8::', 32, 'ipv6')
specialV6.addSubnet('2002::', 16, 'ipv6')
specialV6.addSubnet('2620:4f:8000::', 48, 'ipv6')
specialV6.addSubnet('3ffe::', 16, 'ipv6')
specialV6.addSubnet('3fff::', 20, 'ipv6')

const v4 = fc.ipV4()
const v6Groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
const hex = (groups: readonly number[]) => groups.map((group) => group.toString(16)).join(':')

describe('any address', () => {
  test('IPv4 is judged as an independent range matcher judges it', () => {
    fc.assert(
      fc.property(v4, (ip) => isPublicAddress(ip) === !specialV4.check(ip)),
      { numRuns: 2000 },
    )
  })

  test('IPv6 is judged as an independent range matcher judges it', () => {
    const nearTheEdges = fc
      .tuple(fc.constantFrom(0x2001, 0x2002, 0x2620, 0x3ffe, 0x3fff, 0x64, 0xfe80), v6Groups)
      .map(([first, rest]) => [first, ...rest.slice(1)])
    fc.assert(
      fc.property(fc.oneof(v6Groups, nearTheEdges), (groups) => {
        // ISATAP has its own rows above; ranges cannot express it.
        fc.pre(groups[5] !== 0x5efe)
        const ip = hex(groups)
        return isPublicAddress(ip) === (globalV6.check(ip, 'ipv6') && !specialV6.check(ip, 'ipv6'))
      }),
      { numRuns: 2000 },
    )
  })

  test('no way of carrying IPv4 inside IPv6 gets past, whatever it carries', () => {
    fc.assert(
      fc.property(v4, v6Groups, (ip, [a = 0, b = 0, c = 0]) => {
        const [p = 0, q = 0, r = 0, s = 0] = ip.split('.').map(Number)
        const high = ((p << 8) | q).toString(16)
        const low = ((r << 8) | s).toString(16)
        const carriers = [
          `::ffff:${ip}`,
          `::ffff:${high}:${low}`,
          `::${ip}`,
          `::ffff:0:${ip}`,
          `64:ff9b::${ip}`,
          `64:ff9b:1:${hex([a, b, c])}:${high}:${low}`,
          `2002:${high}:${low}:${hex([a, b, c])}:0:0`,
          `2001:0:${high}:${low}:${hex([a, b, c])}:1`,
          `2606:4700:0:${a.toString(16)}:0:5efe:${high}:${low}`,
          `2606:4700:0:${a.toString(16)}:200:5efe:${high}:${low}`,
        ]
        return carriers.every((carrier) => !isPublicAddress(carrier))
      }),
    )
  })

  test('every spelling of one IPv6 address gets one verdict', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const canonical = new URL(`http://[${ip}]/`).hostname.slice(1, -1)
        return (
          isPublicAddress(ip) === isPublicAddress(canonical) &&
          isPublicAddress(ip.toUpperCase()) === isPublicAddress(canonical)
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('text that is no address is never public', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^[\d.]+$/.test(text) && !text.includes(':'))
        return !isPublicAddress(text)
      }),
    )
  })
})
