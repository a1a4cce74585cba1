import { describe, expect } from 'vitest'
import { type Assistant, templateOf } from '../../../src/domain/clients/assistants.ts'
import { findRedirectUri } from '../../../src/foundation/protocol/redirect-uri.ts'
import { assistantsAt } from '../../fixtures/assistants/assistants.ts'
import { verifies } from '../../spec/verifies.ts'

const ORIGIN = 'https://school.example'

/** By the names of the rebuilt assistants; two of these share a template. */
const TEMPLATES: readonly (readonly [string, Assistant])[] = [
  ['Claude', 'claude'],
  ['Claude Code', 'claude'],
  ['ChatGPT', 'chatgpt'],
  ['Codex', 'codex'],
  ['Cursor', 'cursor'],
  ['VS Code, with Copilot', 'vs-code'],
]

describe('the template of an assistant has every callback with which a member of a school connects it', () => {
  for (const [name, assistant] of TEMPLATES) {
    verifies('assistants.template', `as rebuilt for ${name}`, () => {
      const registered = templateOf(assistant).redirectUris(`${ORIGIN}/mcp/member`)
      const rebuilt = assistantsAt(ORIGIN).find((one) => one.name === name)
      const sent = (rebuilt?.member ?? [])
        .filter(({ client, refused }) => client.by === 'entry' && refused === undefined)
        .map(({ redirectUri }) => redirectUri)
      expect(sent.length).toBeGreaterThan(0)
      for (const uri of sent) expect(findRedirectUri(registered, uri), uri).toBe(uri)
    })
  }
})
