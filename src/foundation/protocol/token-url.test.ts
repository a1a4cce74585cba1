import { expect, test } from 'vitest'
import { parseParameters } from './parameters.ts'
import { withResourceOfUrl } from './token-url.ts'

const ORIGIN = 'https://school.example'
const inBody = (...values: string[]) =>
  parseParameters(values.map((value) => `resource=${encodeURIComponent(value)}`).join('&'))
const resourceOf = (query: string, ...body: string[]) =>
  withResourceOfUrl(inBody(...body), query).getAll('resource')
const invalidRequest = (text: string | RegExp) =>
  expect.objectContaining({ code: 'invalid_request', description: expect.stringMatching(text) })

test('a resource in the URL counts like one in the body', () => {
  expect(resourceOf(`resource=${encodeURIComponent(ORIGIN)}`)).toEqual([ORIGIN])
  expect(resourceOf(`a=b&resource=${ORIGIN}`)).toEqual([ORIGIN])
  for (const query of ['', 'a=b', 'resource=', 'resource', '&']) {
    expect(resourceOf(query, ORIGIN)).toEqual([ORIGIN])
    expect(resourceOf(query)).toEqual([])
  }
})

test('the other parameters of the form stay', () => {
  const form = withResourceOfUrl(parseParameters('client_id=a'), `resource=${ORIGIN}`)
  expect(form.get('client_id')).toBe('a')
})

test('both places may have it if both name the same origin', () => {
  for (const other of [`${ORIGIN}/`, `${ORIGIN}/mcp`, 'https://School.example:443']) {
    expect(resourceOf(`resource=${ORIGIN}`, other)).toEqual([other])
    expect(resourceOf(`resource=${encodeURIComponent(other)}`, ORIGIN, other)).toHaveLength(2)
  }
  for (const other of ['https://other.example', 'http://school.example', 'x', `${ORIGIN}/x`]) {
    expect(() => resourceOf(`resource=${ORIGIN}`, other)).toThrow(invalidRequest('differ'))
    expect(() => resourceOf(`resource=${ORIGIN}`, ORIGIN, other)).toThrow(invalidRequest('differ'))
  }
})

test('a repeated or malformed resource in the URL is refused', () => {
  const refused = (query: string, text: string) =>
    expect(() => resourceOf(query)).toThrow(invalidRequest(text))
  refused(`resource=${ORIGIN}&resource=${ORIGIN}`, 'repeated')
  refused('resource=%zz', 'resource is not valid')
  refused('resource=%ff', 'resource is not valid')
  refused('resource=a%00b', 'resource holds control characters')
  refused(`resource=${'x'.repeat(9000)}`, 'too long')
})

test('any other OAuth parameter in the URL is refused, without its value', () => {
  for (const name of ['client_secret', 'client%5Fid', 'code', 'token', 'grant_type', 'scope']) {
    const query = `resource=${ORIGIN}&${name}=s3cret`
    const decoded = decodeURIComponent(name)
    expect(() => resourceOf(query)).toThrow(invalidRequest(`^Send ${decoded} in the form body`))
    expect(() => resourceOf(query)).not.toThrow(/s3cret/)
  }
})
