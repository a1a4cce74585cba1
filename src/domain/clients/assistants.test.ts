import { describe, expect, test } from 'vitest'
import { checkDetails } from './application-details.ts'
import { ASSISTANT_IDS, ASSISTANT_SCOPES, isAssistant, templateOf } from './assistants.ts'

const ADDRESS = 'https://school.example/mcp/member'

describe.each(ASSISTANT_IDS)('the template for %s', (assistant) => {
  test('fills in what an application may have', () => {
    const { name, redirectUris } = templateOf(assistant)
    const given = {
      name,
      redirect_uris: redirectUris(ADDRESS),
      scopes: ASSISTANT_SCOPES,
      assistant,
    }
    expect(() => checkDetails(given, { confidential: false })).not.toThrow()
  })
})

test('Codex calls back at a path that its older versions make from the address of the server', () => {
  // printf 'https://school.example/mcp/member' | openssl dgst -sha256 -binary | head -c 9 | base64
  expect(templateOf('codex').redirectUris(ADDRESS)).toEqual([
    'http://127.0.0.1/callback',
    'http://127.0.0.1/callback/hs1Wu3jsfzP2',
  ])
})

test('names of other things are no assistants', () => {
  for (const name of [null, '', 'Claude', 'toString', '__proto__']) {
    expect(isAssistant(name)).toBe(false)
  }
})
