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

/** Rows of keyboards, from left to right, as far as they differ between the common layouts. */
const ROWS = [
  '1234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
]
const neighbours = new Set(
  ROWS.flatMap((row) => [...row.slice(1)].map((_, i) => row.slice(i, i + 2))),
)

type Step = 'same' | 'up' | 'down' | 'right' | 'left'

/** The ways in which a character follows from the one before it. */
function stepsBetween(a: string, b: string): Step[] {
  const distance = (b.codePointAt(0) ?? 0) - (a.codePointAt(0) ?? 0)
  const steps: Step[] = []
  if (distance === 0) steps.push('same')
  if (distance === 1) steps.push('up')
  if (distance === -1) steps.push('down')
  if (neighbours.has(a + b)) steps.push('right')
  if (neighbours.has(b + a)) steps.push('left')
  return steps
}

/** How many runs a text consists of: repeated characters, sequences, rows of a keyboard. `abcdef777poiu` has three. */
function countRuns(characters: readonly string[]): number {
  let runs = 0
  let steps: Step[] | undefined
  for (const [i, character] of characters.entries()) {
    const next = stepsBetween(characters[i - 1] ?? '', character)
    const common = steps?.filter((step) => next.includes(step)) ?? next
    if (i > 0 && common.length > 0) {
      steps = common
    } else {
      runs++
      steps = undefined
    }
  }
  return runs
}

/** Fewer runs are typed without thinking, and tried without knowing anything. */
const FEWEST_RUNS = 6
const FEWEST_CHARACTERS = 5

/** Whether a text is a few runs, also two of them mixed: `1q2w3e4r5t6y7u8i`. */
export function isRunsOnly(text: string): boolean {
  const characters = [...text]
  const [even, odd] = [0, 1].map((rest) => characters.filter((_, i) => i % 2 === rest))
  const mixed = countRuns(even ?? []) + countRuns(odd ?? [])
  return Math.min(countRuns(characters), mixed) < FEWEST_RUNS
}

export function hasFewCharacters(text: string): boolean {
  return new Set(text).size < FEWEST_CHARACTERS
}

/** How long a text is without the repetitions in its body, which is a part of it. */
export function lengthWithoutRepetitions(text: string, body: string): number {
  const rest = [...text].length - [...body].length
  const whole = [...body].length
  const unit = [...repeatedUnit(body)].length
  return rest + (unit * 2 <= whole ? unit : whole)
}

/** All letters, without what stands between them. */
export function onlyLetters(text: string): string {
  return (text.match(/\p{L}+/gu) ?? []).join('')
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
  common: { has(text: string): boolean },
): boolean {
  let rest = onlyLetters(password)
  const whole = rest
  for (const word of words) {
    rest = rest.replaceAll(word, '').replaceAll([...word].reverse().join(''), '')
  }
  if (rest === whole) return false
  return [...rest].length < OWN_LETTERS || common.has(rest)
}
