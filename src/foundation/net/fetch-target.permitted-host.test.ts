import { describe, expect, test } from 'vitest'
import { isPermittedHost, parseHostPattern } from './fetch-target.ts'

describe('isPermittedHost', () => {
  const list = ['claude.ai', '*.example.com', 'Bücher.example', 'UPPER.example.', '127.0.0.1']

  test.each([
    'claude.ai',
    'CLAUDE.AI',
    'claude.ai.',
    'app.example.com',
    'a.b.example.com',
    'xn--bcher-kva.example',
    'bücher.example',
    'upper.example',
    '127.0.0.1',
  ])('%s is permitted', (host) => expect(isPermittedHost(host, list)).toBe(true))

  test.each([
    '',
    'ai',
    'evil-claude.ai',
    'www.claude.ai',
    'claude.ai.evil.example',
    'example.com',
    'evilexample.com',
    '.example.com',
    'a..example.com',
    'example.com.evil.example',
    'buecher.example',
    'clаude.ai',
    '127.0.0.2',
    'claude.ai/x',
    'claude.ai:443',
    'claude.ai#',
    'x@claude.ai',
    '*.example.com',
  ])('%j is not', (host) => expect(isPermittedHost(host, list)).toBe(false))

  test('an empty list permits nothing', () => {
    expect(isPermittedHost('claude.ai', [])).toBe(false)
  })

  test.each([
    '*',
    '*.com',
    '**.example.com',
    'a.*.example.com',
    '*example.com',
    '',
    '*.',
    '*.0.0.1',
    'evil;example.com',
    "'unsafe-inline'",
    '*.evil;example.com',
    'a,b.example.com',
  ])('the entry %j permits nothing, rather than too much', (entry) => {
    expect(parseHostPattern(entry)).toBeUndefined()
    for (const host of ['claude.ai', 'a.example.com', 'example.com', '127.0.0.1']) {
      expect(isPermittedHost(host, [entry])).toBe(false)
    }
  })

  test('a list for the demo world may name this machine', () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(isPermittedHost(host, [host])).toBe(true)
    }
  })
})

describe('parseHostPattern', () => {
  test.each([
    [' Claude.AI. ', 'claude.ai'],
    ['*.Bücher.Example', '*.xn--bcher-kva.example'],
    ['*.example.co.uk', '*.example.co.uk'],
  ])('%j is kept as %s', (entry, kept) => expect(parseHostPattern(entry)).toBe(kept))

  test.each(['https://claude.ai', 'claude.ai/x', 'claude.ai:443', 'a b', '[::2]', 'a..b', '.a'])(
    '%j is no entry',
    (entry) => expect(parseHostPattern(entry)).toBeUndefined(),
  )
})
