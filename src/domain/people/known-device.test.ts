import { expect, test } from 'vitest'
import { findKnownDevice, rememberDevice } from './known-device.ts'

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

test('a browser that several people share keeps its name and knows the last four', () => {
  const people = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@people.test`)
  let value: string | undefined
  for (const email of people) value = remember(value, email)
  const names = people.map((email) => find(value, email))
  expect(names[0]).toBeUndefined()
  expect(new Set(names.slice(1)).size).toBe(1)
  expect(remember(value, 'e@people.test')).toBe(value)
})

test('broken values are ignored and replaced', () => {
  for (const value of ['', '.', 'x', 'A'.repeat(22), `${'A'.repeat(22)}.`, 'A'.repeat(4000)]) {
    expect(find(value, 'ada@people.test')).toBeUndefined()
    expect(find(remember(value, 'ada@people.test'), 'ada@people.test')).toBeDefined()
  }
})
