import { withoutStrayJoiners } from './visible-text.ts'

// Strangers write the names of apps, people and schools, which are shown beside words that a person
// relies on ("wants to access your account"). Escaping keeps names from being markup. This file
// keeps them from reordering the sentence, hiding letters or covering the line above.

// Assigned letters and marks that are drawn as nothing.
const blanks = /[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu

// Cf contains the bidi controls, the tags, the soft hyphen and the byte order mark.
const invisible = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu

const straySelectors = /(?<![\p{Emoji}])\ufe0f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu

const markTowers = /(\p{M}{3})\p{M}+/gu

/** No name or title that we store is longer, so each is shown in full. */
const LONGEST_NAME = 300

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * One line of visible text that is safe inside a sentence of ours; empty if nothing visible
 * is left. Wrap it in `<bdi>`, so that its direction does not affect the text around it.
 *
 * @see Unicode TR 36 §2.5, UTS 39
 */
export function plainText(text: string, limit = LONGEST_NAME): string {
  // Cut first: NFC and the segmenter are linear, but a stranger chooses the length.
  const line = text
    .slice(0, limit * 16)
    .normalize('NFC')
    .replace(/(?:(?!\ufeff)[\s\u0085])+/gu, ' ')
    .replace(invisible, '')
    .replace(blanks, '')
    .replace(straySelectors, '')
  return cut(
    withoutStrayJoiners(line).replace(markTowers, '$1').replace(/ {2,}/g, ' ').trim(),
    limit,
  )
}

/** So much of a page is enough for the beginning of its text. */
const BEGINNING = 4_000

/** The beginning of the words in HTML that `renderMarkdown` wrote; other HTML may lose some. */
export function wordsOfHtml(html: string): string {
  return html
    .slice(0, BEGINNING)
    .replace(/<\/?(?:a|code|em|strong)\b[^>]*(?:>|$)/g, '')
    .replace(/<[^>]*(?:>|$)/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}

/** A text with line breaks, cleaned like `plainText` and shown in full. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => plainText(line, Math.max(LONGEST_NAME, line.length * LONGEST_NFC)))
    .join('\n')
}

/** NFC makes a text at most three times as long (UAX 15). */
const LONGEST_NFC = 3

/** Each of these characters is one grapheme. */
const onlyAscii = /^[ -~]*$/

/**
 * Cuts between graphemes. One grapheme can be a long chain of emoji, so code units count too. The
 * segmenter is slow, and most lines do not need it.
 */
function cut(line: string, limit: number): string {
  if (line.length <= limit) return line
  if (onlyAscii.test(line)) return `${line.slice(0, limit).trimEnd()}…`
  let kept = ''
  let count = 0
  for (const { segment } of graphemes.segment(line)) {
    if (count === limit || kept.length + segment.length > limit * 4) return `${kept.trimEnd()}…`
    kept += segment
    count += 1
  }
  return kept
}

/** The letter or emoji that is shown in place of a missing picture. */
export function initial(name: string): string {
  for (const { segment } of graphemes.segment(plainText(name))) {
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment))
      return segment.toLocaleUpperCase('und')
  }
  return '?'
}

/** A text as Markdown that shows it as it is: no emphasis, link or markup comes of it. */
export function markdownText(text: string): string {
  return text.replace(/[\\`*_[\]<>&]/g, '\\$&').replace(/\s+/g, ' ')
}
