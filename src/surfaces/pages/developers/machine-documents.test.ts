import { expect, test } from 'vitest'
import { securityText } from './machine-documents.ts'

test('the text expires in half a year or a little later, and is the same for a whole month', () => {
  const at = (time: string) =>
    securityText('https://a.example', 'mailto:s@a.example', new Date(time))
  expect(at('2027-01-01T00:00:00Z')).toBe(`Contact: mailto:s@a.example
Expires: 2027-08-01T00:00:00Z
Preferred-Languages: en
Canonical: https://a.example/.well-known/security.txt
`)
  expect(at('2027-01-31T23:59:59Z')).toBe(at('2027-01-01T00:00:00Z'))
  expect(at('2027-06-15T12:00:00Z')).toContain('Expires: 2028-01-01T00:00:00Z')
})
