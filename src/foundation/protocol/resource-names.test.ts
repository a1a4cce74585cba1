import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindResource } from './resource-names.ts'

const ORIGIN = 'https://school.example'
const member = { required: true }
const operator = { required: false }

describe('names of this origin', () => {
  test.each([
    ORIGIN,
    `${ORIGIN}/`,
    `${ORIGIN}/mcp`,
    `${ORIGIN}/mcp/`,
    `${ORIGIN}/mcp/member`,
    `${ORIGIN}/mcp/member/`,
    'https://School.Example',
    'HTTPS://school.example/',
    'https://school.example:443/mcp',
    'https://SCHOOL.example:443/mcp/member',
  ])('%s binds to the origin', (value) => {
    expect(bindResource([value], ORIGIN, member)).toBe(ORIGIN)
  })

  test('a port is part of the origin', () => {
    const origin = 'http://localhost:3000'
    expect(bindResource(['http://localhost:3000/mcp'], origin, member)).toBe(origin)
    for (const value of ['http://localhost', 'http://localhost:3001', 'http://localhost:30000']) {
      expect(() => bindResource([value], origin, member)).toThrow('invalid_target')
    }
  })

  test('several are allowed while all of them are this origin', () => {
    expect(bindResource([ORIGIN, `${ORIGIN}/mcp`], ORIGIN, member)).toBe(ORIGIN)
    expect(() => bindResource([ORIGIN, 'https://other.example'], ORIGIN, member)).toThrow(
      expect.objectContaining({ code: 'invalid_target' }),
    )
  })
})

describe('a missing resource', () => {
  test('is invalid_request where it is required, and the answer says what to send', () => {
    expect(() => bindResource([], ORIGIN, member)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        description: 'resource is missing: send resource=https://school.example.',
      }),
    )
  })

  test('means this origin where it is optional', () => {
    expect(bindResource([], ORIGIN, operator)).toBe(ORIGIN)
  })
})

describe('another resource', () => {
  test.each([
    ['another school', 'https://other.example'],
    ['plain http', 'http://school.example'],
    ['another port', 'https://school.example:8443'],
    ['a subdomain', 'https://a.school.example'],
    ['a longer host', 'https://school.example.evil'],
    ['userinfo', 'https://school.example@evil.example'],
    ['userinfo in front', 'https://evil@school.example'],
    ['another path', 'https://school.example/member/graphql'],
    ['a longer path', 'https://school.example/mcp2'],
    ['another path below the tool endpoint', 'https://school.example/mcp/members'],
    ['a path below a name', 'https://school.example/mcp/member/x'],
    ['two slashes', 'https://school.example/mcp//member'],
    ['the member path alone', 'https://school.example/member'],
    ['the path in capitals', 'https://school.example/MCP'],
    ['dot segments', 'https://school.example/x/../mcp'],
    ['a query', 'https://school.example/?x=1'],
    ['a fragment (RFC 8707 §2)', 'https://school.example/#x'],
    ['a backslash', 'https://school.example\\'],
    ['a space', 'https://school.example '],
    ['a line break', 'https://school.example\n'],
    ['no scheme', 'school.example'],
    ['a relative reference', '/mcp'],
    ['nothing', ''],
    ['the letters null', 'null'],
  ])('with %s is invalid_target, even where the parameter is optional', (_, value) => {
    for (const options of [member, operator]) {
      expect(() => bindResource([value], ORIGIN, options)).toThrow(
        expect.objectContaining({ code: 'invalid_target' }),
      )
    }
  })

  test('never binds to anything but the origin, whatever is sent', () => {
    const pieces = fc.constantFrom(
      ...[
        'https://',
        'http://',
        'school.example',
        'other.example',
        '/',
        '/mcp',
        '/member',
        '@',
        ':443',
      ],
      ...['.', '?', ':', '\\', '\t', '%2e', 'SCHOOL.example', '[::1]', '//', '#'],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const value = parts.join('')
        try {
          expect(bindResource([value], ORIGIN, member)).toBe(ORIGIN)
          expect(new URL(value).origin).toBe(ORIGIN)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_target' })
        }
      }),
    )
  })
})
