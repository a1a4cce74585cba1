import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { initial, plainText } from '../text/plain-text.ts'

const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe('plainText', () => {
  test.each([
    ['ordinary words', 'Acme Planner', 'Acme Planner'],
    ['other scripts', 'كتابي · 我的课程 · Курс', 'كتابي · 我的课程 · Курс'],
    ['accents, composed to one form', 'Cafe\u0301', 'Café'],
    ['joiners that are spelling', 'می‌خواهم ශ්‍රී', 'می‌خواهم ශ්‍රී'],
    ['an emoji family', 'Team 👨‍👩‍👧‍👦 ❤️', 'Team 👨‍👩‍👧‍👦 ❤️'],
    ['markup, which escaping deals with', '<script>x</script>', '<script>x</script>'],
  ])('keeps %s', (_, given, shown) => {
    expect(plainText(given)).toBe(shown)
  })

  test.each([
    ['a right-to-left override', 'Bank\u202egpj.exe', 'Bankgpj.exe'],
    ['an unclosed isolate', '\u2067Acme', 'Acme'],
    ['zero-width spaces inside a known name', 'A\u200bc\u2060m\ufeffe', 'Acme'],
    ['zero-width joiners between Latin letters', 'Ac\u200dm\u200ce', 'Acme'],
    ['soft hyphens and tag characters', 'Ac\u00adme\u{e0061}', 'Acme'],
    ['line breaks and null bytes', 'Acme\r\n\u2028\u0000Planner', 'Acme Planner'],
    ['letters that draw nothing', '\u3164\u115f\u2800', ''],
    ['private use and lone surrogates', 'Acme\ue000\ud800', 'Acme'],
  ])('removes %s', (_, given, shown) => {
    expect(plainText(given)).toBe(shown)
  })

  test('cuts a tower of combining marks', () => {
    expect(plainText(`Z${'\u0334\u0358\u035c'.repeat(40)}algo`).match(/\p{M}/gu)).toHaveLength(3)
  })

  test('shows every name that can be stored in full, and that there was more of a longer one', () => {
    expect(plainText('x'.repeat(300))).toBe('x'.repeat(300))
    expect(plainText('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`)
  })

  test('cuts a line of other letters after as many as of ASCII', () => {
    expect(plainText('é'.repeat(300), 50)).toBe(`${'é'.repeat(50)}…`)
    expect(plainText(`${'x '.repeat(25)}é${'y'.repeat(30)}`, 50)).toBe(`${'x '.repeat(24)}x…`)
    expect(plainText('x '.repeat(40), 50)).toBe(`${'x '.repeat(24)}x…`)
  })

  test('never cuts an emoji in half', () => {
    expect(plainText('👍🏽'.repeat(100), 3)).toBe('👍🏽👍🏽👍🏽…')
  })

  test('bounds one endless joined emoji', () => {
    expect(plainText(Array(400).fill('👩').join('\u200d'), 50).length).toBeLessThanOrEqual(201)
  })

  test('the result is always short, one line, and without controls of direction', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
        const shown = plainText(given, 50)
        expect(shown).not.toMatch(bidiControls)
        expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(shown.length).toBeLessThanOrEqual(201)
        expect(shown).toBe(shown.trim())
      }),
    )
  })
})

describe('initial', () => {
  test.each([
    ['ada', 'A'],
    ['  “école”', 'É'],
    ['\u202e学校', '学'],
    ['🦊 Fox', '🦊'],
    ['!!!', '?'],
  ])('of %s is %s', (name, letter) => {
    expect(initial(name)).toBe(letter)
  })
})
