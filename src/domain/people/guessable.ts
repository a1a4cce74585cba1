/** Judges passwords in lower case by the ways in which people lengthen a weak one. All take linear time. */

/** The shortest text whose repetition is this text, cut at any place: `abc` of `abcabca`. */
export function repeatedUnit(text: string): string {
  const characters = [...text]
  // The failure function of Knuth, Morris and Pratt: the longest border of each prefix.
  const borders: number[] = [0]
  for (let i = 1, border = 0; i < characters.length; i++) {
    while (border > 0 && characters[i] !== characters[border]) border = borders[border - 1] ?? 0
    if (characters[i] === characters[border]) border++
    borders[i] = border
  }
  const period = characters.length - (borders.at(-1) ?? 0)
  return characters.slice(0, period).join('')
}

/** Each character follows the one before it, up or down: `abcdefgh`, `87654321`. */
export function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const step = (codes[1] ?? 0) - (codes[0] ?? 0)
  if (Math.abs(step) !== 1) return false
  return codes.every((code, i) => i === 0 || code - (codes[i - 1] ?? 0) === step)
}

/** Without the digits and signs at both ends, which people add to reach a length. */
export function lettersOf(text: string): string {
  const characters = [...text]
  const isLetter = (character: string) => /\p{L}/u.test(character)
  const first = characters.findIndex(isLetter)
  if (first === -1) return text
  return characters.slice(first, characters.findLastIndex(isLetter) + 1).join('')
}

/** The words in texts such as a name or a host, longest first. */
export function wordsOf(texts: readonly string[]): readonly string[] {
  const words = texts.flatMap(
    (text) =>
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/\p{L}+/gu) ?? [],
  )
  return [...new Set(words)].filter(isTelling).sort((a, b) => b.length - a.length)
}

/** Two letters occur in any text by chance; in scripts with many characters they are a name. */
function isTelling(word: string): boolean {
  return [...word].length >= (/^[a-z]+$/.test(word) ? 3 : 2)
}

/** With fewer letters besides known words, a password is those words. */
const OWN_LETTERS = 5

/**
 * Whether a password has nothing of its own: besides the words, forwards or backwards, only digits, signs and a few
 * letters or a common password.
 */
export function isMadeOf(
  password: string,
  words: readonly string[],
  common: ReadonlySet<string>,
): boolean {
  let rest = (password.match(/\p{L}+/gu) ?? []).join('')
  const whole = rest
  for (const word of words) {
    rest = rest.replaceAll(word, '').replaceAll([...word].reverse().join(''), '')
  }
  if (rest === whole) return false
  return [...rest].length < OWN_LETTERS || common.has(rest)
}
