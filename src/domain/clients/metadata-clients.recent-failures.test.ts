import { expect, test } from 'vitest'
import { RecentFailures } from './metadata-clients.ts'

test('a failure is remembered for one minute', () => {
  let now = 5000
  const failures = new RecentFailures(() => now)
  failures.add('https://a.example/c', 'It is away.')
  expect(failures.find('https://b.example/c')).toBeUndefined()
  now += 59_999
  expect(failures.find('https://a.example/c')).toBe('It is away.')
  now += 1
  expect(failures.find('https://a.example/c')).toBeUndefined()
})

test('ten thousand failures are remembered, so strangers cannot fill the memory', () => {
  const failures = new RecentFailures(() => 0)
  for (let number = 0; number <= 10_000; number++) failures.add(`https://a.example/${number}`, 'x')
  expect(failures.find('https://a.example/0')).toBeUndefined()
  expect(failures.find('https://a.example/1')).toBe('x')
})
