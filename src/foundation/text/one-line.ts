/** How much of what a caller sent an error may repeat. */
export const LINE_LENGTH = 200

/** How long a whole error may be, with our own words around what it repeats. */
export const SENTENCE_LENGTH = 500

/** Ends of lines, control characters, characters that reorder text, and halves of surrogate pairs. */
const BREAKING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/**
 * A text as one short line. Used wherever an error repeats what a caller sent, or shows the message of a library
 * that does: an answer must not grow with the mistake, and no line of it may look like one of ours.
 */
export function oneLine(text: string, length: number = LINE_LENGTH): string {
  const line = text.slice(0, length).replace(BREAKING, ' ')
  return text.length > length ? `${line.trimEnd()}…` : line
}

/** The same for a whole message, in which a library may repeat a word of any length. */
export function oneSentence(message: string): string {
  const words = oneLine(message, SENTENCE_LENGTH).split(' ')
  return words.map((word) => oneLine(word, WORD_LENGTH)).join(' ')
}

const WORD_LENGTH = 100
