import { describe, expect, test } from 'vitest'
import { parseLocalPath } from './link-header.ts'

describe('a path to continue at after the sign-in', () => {
  test.each([
    '/',
    '/account/apps',
    '/admin/audit?action=client.created&before=0197',
    '/docs#use',
    '/admin/clients/view?id=https%3A%2F%2Fapp.example%2Fclient.json',
  ])('%s is accepted unchanged', (path) => {
    expect(parseLocalPath(path)).toBe(path)
  })

  test.each([
    ['nothing', ''],
    ['another site', 'https://evil.example/'],
    ['a site without a scheme', '//evil.example'],
    ['three slashes', '///evil.example'],
    ['a backslash for the second slash', '/\\evil.example'],
    ['a backslash further on', '/a/..\\\\evil.example'],
    ['backslashes alone', '\\\\evil.example'],
    ['an encoded slash', '/%2Fevil.example'],
    ['an encoded slash in lower case', '/%2f%2fevil.example'],
    ['an encoded backslash', '/%5Cevil.example'],
    ['a tab that browsers drop', '/\t/evil.example'],
    ['a line feed that browsers drop', '/\n/evil.example'],
    ['an encoded line feed', '/%0A/evil.example'],
    ['an injected header', '/ok\r\nset-cookie: a=b'],
    ['dots that leave two slashes', '/.//evil.example'],
    ['dots that climb to two slashes', '/a/..//evil.example'],
    ['a script', 'javascript:alert(1)'],
    ['a path without a slash', 'account'],
    ['a space in front', ' /account'],
    ['letters beyond ASCII', '/\u2215evil.example'],
    ['a path that is too long', `/${'a'.repeat(2001)}`],
  ])('%s is refused', (_, text) => {
    expect(parseLocalPath(text)).toBeUndefined()
  })
})
