/**
 * Names are shown beside words that people rely on, in lists, in mails and as file names. Characters
 * that draw nothing can reverse the letters after them (`gpj.exe` reads as `exe.jpg`) or make two names
 * look the same, so names are stored without them.
 *
 * @see Unicode TR 36 §2.5, UTS 39 §3.1
 */

// The bidi controls, zero-width spaces, soft hyphen, byte order mark, annotations and tags. Not the two
// joiners, which are spelling in some scripts: see strayJoiners.
const HIDDEN =
  '\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}'

const hiddenCharacters = new RegExp(`[${HIDDEN}]`, 'gu')

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

const deceptiveCharacters = new RegExp(`[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}${HIDDEN}]`, 'u')

/** For names of clients, which are refused and not corrected: people decide about access by them. */
export function isDeceptiveName(name: string): boolean {
  return deceptiveCharacters.test(name)
}
