import { describe, expect, test } from 'vitest'
import { addressBucket, addressBuckets } from './address.ts'

const namesOf = (address: string) => addressBuckets(address).map(({ name }) => name)

describe('addressBuckets', () => {
  test('IPv4 addresses count one by one', () => {
    expect(addressBuckets('192.0.2.1')).toEqual([{ name: '192.0.2.1', times: 1 }])
  })

  test('an IPv6 address counts by /64, /56 and /48, each with a wider limit', () => {
    expect(addressBuckets('2001:db8:1:2a3b::1')).toEqual([
      { name: '2001:db8:1:2a3b::/64', times: 1 },
      { name: '2001:db8:1:2a00::/56', times: 4 },
      { name: '2001:db8:1::/48', times: 16 },
    ])
  })

  test('neighbours share the wider buckets only', () => {
    const [household, , site] = namesOf('2001:db8:1:2::1')
    expect(namesOf('2001:db8:1:2:ffff:ffff:ffff:ffff')[0]).toBe(household)
    expect(namesOf('2001:db8:1:3::1')[0]).not.toBe(household)
    expect(namesOf('2001:db8:1:3::1')[1]).toBe(namesOf('2001:db8:1:2::1')[1])
    expect(namesOf('2001:db8:1:ff03::1')[1]).not.toBe(namesOf('2001:db8:1:2::1')[1])
    expect(namesOf('2001:db8:1:ff03::1')[2]).toBe(site)
    expect(namesOf('2001:db8:2:2::1')[2]).not.toBe(site)
  })

  test('every spelling of an address is one address, with a zone as well', () => {
    expect(namesOf('2001:0DB8:0001:0002:0:0:0:1')).toEqual(namesOf('2001:db8:1:2::1'))
    expect(namesOf('fe80::1%eth0')[0]).toBe('fe80:0:0:0::/64')
    expect(namesOf('::1')[0]).toBe('0:0:0:0::/64')
  })

  test('text that is not an address stays unchanged', () => {
    expect(addressBucket('unknown')).toBe('unknown')
  })
})
