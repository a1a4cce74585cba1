import { describe, expect, test } from 'vitest'
import { LINE_LENGTH, oneLine, oneSentence, SENTENCE_LENGTH } from './visible-text.ts'

describe('one line', () => {
  test('keeps a short text', () => {
    expect(oneLine('list_courses')).toBe('list_courses')
    expect(oneLine('日本語 💥')).toBe('日本語 💥')
  })

  test('cuts a long one and says so', () => {
    expect(oneLine('x'.repeat(60_000))).toBe(`${'x'.repeat(LINE_LENGTH)}…`)
    expect(oneSentence('x '.repeat(60_000))).toHaveLength(SENTENCE_LENGTH)
    expect(oneSentence(`No field ${'x'.repeat(60_000)}.`)).toBe(`No field ${'x'.repeat(100)}…`)
  })

  test.each(['\n', '\r\n', '\u0085', '\u2028', '\u2029', '\0', '\u001b[2J', '\u202e', '\u2066'])(
    'writes %j as a space',
    (breaking) => {
      expect(oneLine(`a${breaking[0]}b`)).toBe('a b')
    },
  )

  test('leaves no half of a character where it cuts', () => {
    expect(oneLine('💥'.repeat(3), 3)).toBe('💥…')
  })
})
