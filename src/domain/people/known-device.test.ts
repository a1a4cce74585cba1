import { expect, test } from 'vitest'
import { findKnownDevice, knownByCode, rememberDevice } from './known-device.ts'

const key = Buffer.alloc(32, 1)
const find = (value: string | undefined, email: string, school = 'north') =>
  findKnownDevice([key], school, value, email)
const remember = (value: string | undefined, email: string, school = 'north') =>
  rememberDevice(key, school, value, email)

test('a browser is known for the account that signed in with it, in any spelling', () => {
  const value = remember(undefined, 'Ada@people.test')
  expect(find(value, ' ada@PEOPLE.test')).toBe(value.split('.')[0])
  expect(find(value, 'eve@people.test')).toBeUndefined()
  expect(find(undefined, 'ada@people.test')).toBeUndefined()
})

test('a value of another school, another key or with another name proves nothing', () => {
  const value = remember(undefined, 'ada@people.test')
  expect(find(value, 'ada@people.test', 'south')).toBeUndefined()
  expect(findKnownDevice([Buffer.alloc(32, 2)], 'north', value, 'ada@people.test')).toBeUndefined()
  const [, mark] = value.split('.')
  expect(find(`${'A'.repeat(22)}.${mark}`, 'ada@people.test')).toBeUndefined()
})

test('a browser stays known while an old key is replaced', () => {
  const value = remember(undefined, 'ada@people.test')
  const keys = [Buffer.alloc(32, 2), key]
  expect(findKnownDevice(keys, 'north', value, 'ada@people.test')).toBe(value.split('.')[0])
})

test('a browser that several people share keeps its name and knows the last eight', () => {
  const people = [...'abcdefghi'].map((name) => `${name}@people.test`)
  let value: string | undefined
  for (const email of people) value = remember(value, email)
  const names = people.map((email) => find(value, email))
  expect(names[0]).toBeUndefined()
  expect(new Set(names.slice(1)).size).toBe(1)
  expect(remember(value, 'i@people.test')).toBe(value)
})

test('a sign-in or a link by mail does not make the mark of a code, and the code of another app neither', () => {
  const email = 'ada@people.test'
  const [since, later] = [new Date(0), new Date(1)]
  const findByCode = (value: string, added: Date | undefined) =>
    findKnownDevice([key], 'north', value, email, knownByCode(added))
  const weak = rememberDevice(key, 'north', undefined, email, ['sign_in', 'mail_link'])
  expect(findByCode(weak, since)).toBeUndefined()
  const strong = rememberDevice(key, 'north', weak, email, ['sign_in', ...knownByCode(since)])
  expect(findByCode(strong, since)).toBe(weak.split('.')[0])
  expect(findByCode(strong, later)).toBeUndefined()
  expect(findByCode(strong, undefined)).toBeUndefined()
})

test('broken values are ignored and replaced', () => {
  for (const value of ['', '.', 'x', 'A'.repeat(22), `${'A'.repeat(22)}.`, 'A'.repeat(4000)]) {
    expect(find(value, 'ada@people.test')).toBeUndefined()
    expect(find(remember(value, 'ada@people.test'), 'ada@people.test')).toBeDefined()
  }
})
