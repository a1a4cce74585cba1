import { expect, test } from 'vitest'
import { createAddressRateLimiter } from './rate-limit.ts'

const policy = { name: 'registration', quota: 10, windowSeconds: 60 }
const aLimiter = () => createAddressRateLimiter(policy, { now: () => 1_000_000 })

function takenFrom(addresses: Iterable<string>): number {
  const limiter = aLimiter()
  let allowed = 0
  for (const address of addresses) if (limiter.take(address).allowed) allowed++
  return allowed
}

function* networks(count: number, addressOf: (index: string) => string) {
  for (let i = 0; i < count; i++) yield addressOf(i.toString(16))
}

test('fresh addresses of one /64, /56 or /48 do not give fresh allowances', () => {
  expect(takenFrom(networks(1000, (i) => `2001:db8:1:2::${i}`))).toBe(10)
  expect(takenFrom(networks(256, (i) => `2001:db8:1:${i}::1`))).toBe(40)
  expect(takenFrom(networks(4096, (i) => `2001:db8:1:${i}0::1`))).toBe(160)
})

test('a household that is refused uses up nothing of its neighbours', () => {
  const limiter = aLimiter()
  for (let i = 0; i < 1000; i++) limiter.take('2001:db8:1:2::1')
  expect(limiter.take('2001:db8:1:3::1')).toMatchObject({ allowed: true, remaining: 9 })
})

test('IPv4 addresses are limited one by one', () => {
  expect(takenFrom(Array<string>(50).fill('192.0.2.1'))).toBe(10)
  expect(takenFrom(networks(50, (i) => `192.0.2.${Number.parseInt(i, 16)}`))).toBe(50)
})

test('an account of an address pays in its /64, its /56 and its /48', () => {
  const limiter = aLimiter()
  for (let i = 0; i < 4; i++) limiter.open(`2001:db8:1:${i.toString(16)}::1`).spend(10)
  expect(limiter.open('2001:db8:1:4::1').decide().allowed).toBe(false)
  expect(limiter.open('2001:db8:1:100::1').decide().allowed).toBe(true)
  expect(limiter.open('192.0.2.1').decide()).toMatchObject({ allowed: true, remaining: 10 })
})
