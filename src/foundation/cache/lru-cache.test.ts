import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'

test('what was not used for longest goes first', () => {
  const cache = new LruCache<string>(16)
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) cache.set(key, key, 2)
  expect(cache.get('a')).toBe('a')
  cache.set('i', 'i', 2)
  expect(cache.get('b')).toBeUndefined()
  expect(cache.get('a')).toBe('a')
  expect(cache.size).toBe(8)
})

test('one giant entry pushes nothing out', () => {
  const cache = new LruCache<string>(16)
  cache.set('small', 'small', 1)
  cache.set('giant', 'giant', 3)
  expect(cache.get('giant')).toBeUndefined()
  expect(cache.get('small')).toBe('small')
})

test('an entry that is set again weighs once', () => {
  const cache = new LruCache<number>(16)
  for (let i = 0; i < 100; i++) cache.set('same', i, 2)
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) cache.set(key, 0, 2)
  expect(cache.get('same')).toBe(99)
  cache.delete('same')
  expect(cache.get('same')).toBeUndefined()
})

test('one tenant pushes out its own entries, not those of others', () => {
  const cache = new LruCache<string>(100)
  for (let i = 0; i < 60; i++) cache.set(`quiet ${i}`, 'x', 1, 'quiet school'.slice(0, i % 7))
  const before = cache.size
  for (let i = 0; i < 1000; i++) cache.set(`busy ${i}`, 'x', 1, 'busy school')
  expect(cache.size).toBe(Math.min(100, before + 25))
  expect(cache.get('busy 999')).toBe('x')
  expect(cache.get('busy 974')).toBeUndefined()
  for (let i = 0; i < 60; i++) expect(cache.get(`quiet ${i}`)).toBe('x')
})

test('an entry in use stays, however many its tenant adds', () => {
  const cache = new LruCache<string>(100)
  cache.set('in use', 'x', 1, 'a school')
  for (let i = 0; i < 1000; i++) {
    cache.set(`new ${i}`, 'x', 1, 'a school')
    if (i % 20 === 0) expect(cache.get('in use')).toBe('x')
  }
  expect(cache.size).toBe(25)
})

test('a tenant that is removed entry by entry can be filled again', () => {
  const cache = new LruCache<number>(40)
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 10; i++) cache.set(`${i}`, i, 1, 'a school')
    expect(cache.weight).toBe(10)
    for (let i = 0; i < 10; i++) cache.delete(`${i}`)
    expect(cache.weight).toBe(0)
  }
})

test('a large cache that is full forgets some at once, the oldest first', () => {
  const cache = new LruCache<number>(2560, { busy: true })
  for (let i = 0; i < 2560; i++) cache.set(`${i}`, i, 1)
  cache.set('one more', 0, 1)
  expect(cache.size).toBe(2550)
  expect(cache.get('10')).toBeUndefined()
  expect(cache.get('11')).toBe(11)
  expect(cache.get('one more')).toBe(0)
})
