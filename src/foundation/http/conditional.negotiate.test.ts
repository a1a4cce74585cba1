import { describe, expect, test } from 'vitest'
import { chooseMediaType, wantsHtml } from './conditional.ts'

const graphql = ['application/json', 'application/graphql-response+json'] as const

describe('chooseMediaType', () => {
  test.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json, application/json', 'application/json'],
    [
      'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8; q=0.9',
      'application/graphql-response+json',
    ],
    ['APPLICATION/JSON;Q=0.1, application/graphql-response+json;q=0.2', graphql[1]],
    ['*/*, application/json;q=0', graphql[1]],
    ['text/html, */*;q=0.1', 'application/json'],
    ['application/json;q=1.000', 'application/json'],
    ['text/html', undefined],
    ['application/json;q=0', undefined],
    ['application/json;q=2', undefined],
    ['application/json;q=abc', undefined],
    ['*/json', undefined],
    ['garbage', undefined],
    [',;/,', undefined],
    [`${'a/b,'.repeat(5000)}application/json`, undefined],
  ])('%s gives %s', (accept, expected) => {
    expect(chooseMediaType(accept, graphql)).toBe(expected)
  })
})

describe('wantsHtml', () => {
  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
    ['text/html', true],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/html;q=0.5', false],
    [undefined, false],
    ['image/png', false],
  ])('%s: %s', (accept, expected) => {
    expect(wantsHtml(accept)).toBe(expected)
  })
})
