import { expect, test } from 'vitest'
import { isLoopbackHost, isOwnMachine } from './parse-url.ts'

test.each(['localhost', 'harbor.localhost', '127.0.0.1', '127.8.0.1', '[::1]'])(
  '%s is the own machine',
  (host) => expect(isOwnMachine(host)).toBe(true),
)

test.each(['localhost.example', 'notlocalhost', '127.0.0.1.example', '128.0.0.1', '.example'])(
  '%s is another machine',
  (host) => expect(isOwnMachine(host)).toBe(false),
)

test('a name below localhost is shown as the own machine, but no redirect URI or document may use it', () => {
  expect(isLoopbackHost('harbor.localhost')).toBe(false)
})
