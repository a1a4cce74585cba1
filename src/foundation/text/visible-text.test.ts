import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeceptiveName, visibleText } from './visible-text.ts'

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe('visibleText', () => {
  test.each([
    ['a file name that hides its ending', 'photo\u202egpj.exe', 'photogpj.exe'],
    ['isolates that are never closed', '\u2066\u2067\u2068Acme', 'Acme'],
    ['marks of direction', 'a\u200eb\u200fc\u061cd', 'abcd'],
    ['zero-width spaces and the byte order mark', 'A\u200bc\u2060m\ufeffe', 'Acme'],
    ['joiners between Latin letters', 'Ac\u200dm\u200ce', 'Acme'],
    ['a message in tag characters', 'Acme\u{e0068}\u{e0069}', 'Acme'],
    ['a message in variation selectors', 'A\ufe00c\u{e0100}m\u{e01ef}e\ufe0f', 'Acme'],
    ['a joiner of graphemes', 'Ac\u034fme', 'Acme'],
    ['fillers', '\u115f\u1160\u3164\uffa0Acme', 'Acme'],
    ['the selector of an emoji, which stays', 'I ❤\ufe0f art', 'I ❤ art'],
    ['selectors inside an emoji of several', '❤\ufe0f\u200d🔥', '❤\u200d🔥'],
  ])('removes %s', (_, given, kept) => {
    expect(visibleText(given)).toBe(kept)
  })

  test.each([
    ['other scripts', 'كتابي · 我的课程 · Курс · שיעור'],
    ['joiners that are spelling', 'می‌خواهم ශ්‍රී'],
    ['an emoji family', 'Team 👨‍👩‍👧‍👦 ❤'],
    ['spaces and line breaks, which other rules judge', ' a\n b\u2028'],
  ])('keeps %s', (_, given) => {
    expect(visibleText(given)).toBe(given)
  })

  test('leaves no control of direction, and a second time nothing changes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (given) => {
        const kept = visibleText(given)
        expect(kept).not.toMatch(BIDI)
        expect(visibleText(kept)).toBe(kept)
      }),
    )
  })
})

test('removes all that Unicode calls default ignorable, except joiners in their scripts', () => {
  const ignorable = /^\p{Default_Ignorable_Code_Point}$/u
  const left: string[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (ignorable.test(character) && visibleText(`a${character}b`) !== 'ab') {
      left.push(code.toString(16))
    }
  }
  expect(left).toEqual([])
})

test.each([
  'Ac\u202eme',
  'Ac\u200bme',
  'Acme\n',
  'Acme\u2029',
  'Acme\u034f',
  'Acme1\ufe0f',
  'Acme\ufe0e',
  'Acme\u{e0101}',
  'Acme\u3164',
])('%j is a deceptive name', (name) => {
  expect(isDeceptiveName(name)).toBe(true)
})

test('an emoji in a name is not deceptive, with and without its selector', () => {
  expect(isDeceptiveName('Acme ❤\ufe0f')).toBe(false)
  expect(isDeceptiveName('Acme ❤')).toBe(false)
})
