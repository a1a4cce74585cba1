/**
 * Names are shown beside words that people rely on, in lists, in mails and as file names.
 * Characters that draw nothing can reverse the letters after them (`gpj.exe` reads as `exe.jpg`) or
 * make two names look the same, so names are stored without them.
 *
 * @see Unicode TR 36 §2.5, UTS 39 §3.1
 */

// The bidi controls, zero-width spaces, variation selectors, fillers, the soft hyphen and the tags,
// which Unicode calls default ignorable, and the annotations. Not the two joiners, which are
// spelling in some scripts: see strayJoiners. An emoji loses its selector and stays: some fonts
// then draw it in black.
const HIDDEN = '(?![\\u200c\\u200d])[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]'

const hiddenCharacters = new RegExp(HIDDEN, 'gu')

const joiningScripts = [
  'Arabic',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')

// A zero-width joiner is part of the spelling in these scripts, and joins emoji. Elsewhere it only
// makes two names differ that look the same.
const strayJoiners = new RegExp(
  `(?<![${joiningScripts}])\\u200c|\\u200c(?![${joiningScripts}])|` +
    `(?<![${joiningScripts}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d|` +
    `\\u200d(?![${joiningScripts}\\p{Extended_Pictographic}])`,
  'gu',
)

/** The text without characters that draw nothing. Spaces and line breaks stay. */
export function visibleText(text: string): string {
  return withoutStrayJoiners(text.replace(hiddenCharacters, ''))
}

export function withoutStrayJoiners(text: string): string {
  return text.replace(strayJoiners, '')
}

// An emoji keeps its selector here: publishers write it so, and it hides nothing.
const emojiSelector = '(?<=\\p{Extended_Pictographic})\\ufe0f'
const deceptiveCharacters = new RegExp(
  `[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]|(?!${emojiSelector})${HIDDEN}`,
  'u',
)

/**
 * For names of clients, which are refused and not corrected: people decide about access by them.
 */
export function isDeceptiveName(name: string): boolean {
  return deceptiveCharacters.test(name)
}

/** How much of what a caller sent an error may repeat. */
export const LINE_LENGTH = 200

/** How long a whole error may be, with our own words around what it repeats. */
export const SENTENCE_LENGTH = 500

/**
 * Ends of lines, control characters, characters that reorder text, and halves of surrogate pairs.
 */
const BREAKING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/**
 * A text as one short line. Used wherever an error repeats what a caller sent, or shows the message
 * of a library that does: an answer must not grow with the mistake, and no line of it may look like
 * one of ours.
 */
export function oneLine(text: string, length: number = LINE_LENGTH): string {
  const line = text.slice(0, length).replace(BREAKING, ' ')
  return text.length > length ? `${line.trimEnd()}…` : line
}

/** A whole message as one short line; a library may repeat a word of any length in it. */
export function oneSentence(message: string): string {
  const words = oneLine(message, SENTENCE_LENGTH).split(' ')
  return words.map((word) => oneLine(word, WORD_LENGTH)).join(' ')
}

const WORD_LENGTH = 100
