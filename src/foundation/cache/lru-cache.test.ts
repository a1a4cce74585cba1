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
