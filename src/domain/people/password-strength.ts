import { MAX_PASSWORD_BYTES, normalPassword } from '../../foundation/crypto/password.ts'

/** For a password that is the only factor. */
export const MIN_PASSWORD_LENGTH = 15
const MIN_BESIDE_SECOND_FACTOR = 8

/**
 * Beside a second factor a guessed password opens nothing, as long as every sign-in with it asks
 * for the other.
 */
export function minimumLength(hasSecondFactor: boolean): number {
  return hasSecondFactor ? MIN_BESIDE_SECOND_FACTOR : MIN_PASSWORD_LENGTH
}

export type PasswordProblem = 'too_short' | 'too_long' | 'repeated' | 'common' | 'personal'

/** What an attacker knows about the person and the place. */
export interface PasswordContext {
  readonly email: string
  readonly name: string
  readonly school: { readonly name: string; readonly origin: string }
}

/**
 * The one rule for every way to set a password. Length, and not among the first guesses of an
 * attacker: rules about digits and signs would only make people write passwords down.
 *
 * @see NIST SP 800-63B-4 §3.1.1.2
 */
export async function findPasswordProblem(
  password: string,
  about: PasswordContext,
  minimum: number = MIN_PASSWORD_LENGTH,
): Promise<PasswordProblem | undefined> {
  const normal = normalPassword(password)
  if (isTooShort(normal, minimum)) return 'too_short'
  if (Buffer.byteLength(normal) > MAX_PASSWORD_BYTES) return 'too_long'
  const folded = normal.toLowerCase()
  const common = await commonPasswords()
  const { email, name, school } = about
  const words = wordsOf([email, name, school.name, new URL(school.origin).hostname])
  if (isMadeOf(folded, words, common)) return 'personal'
  const bodies = [folded, lettersOf(folded), onlyLetters(folded)]
  const cores = [...bodies, ...bodies.map(repeatedUnit), lettersOf(repeatedUnit(folded))]
  if (cores.some((core) => common.has(core) || common.has(reversed(core)))) return 'common'
  if (bodies.some((body) => lengthWithoutRepetitions(folded, body) < minimum)) return 'repeated'
  if (hasFewCharacters(folded)) return 'repeated'
  if (isRunsOnly(folded)) return 'common'
  // Beside a second factor, what is short is put together of little.
  if (minimum < MIN_PASSWORD_LENGTH) return undefined
  const isCheap = isPutTogether(folded, common) || isPutTogether(reversed(folded), common)
  return isCheap ? 'common' : undefined
}

/** A password from before the rule is only judged by its length: the next sign-in replaces it. */
export function isTooShort(password: string, minimum: number = MIN_PASSWORD_LENGTH): boolean {
  return [...normalPassword(password)].length < minimum
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

/**
 * Judges passwords in lower case by the ways in which people lengthen a weak one. All take linear
 * time.
 */

/** The shortest text whose repetition is this text, cut at any place: `abc` of `abcabca`. */
function repeatedUnit(text: string): string {
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

/**
 * How many runs a text consists of: repeated characters, sequences, rows of a keyboard.
 * `abcdef777poiu` has three.
 */
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
function isRunsOnly(text: string): boolean {
  const characters = [...text]
  const [even, odd] = [0, 1].map((rest) => characters.filter((_, i) => i % 2 === rest))
  const mixed = countRuns(even ?? []) + countRuns(odd ?? [])
  return Math.min(countRuns(characters), mixed) < FEWEST_RUNS
}

function hasFewCharacters(text: string): boolean {
  return new Set(text).size < FEWEST_CHARACTERS
}

/** How long a text is without the repetitions in its body, which is a part of it. */
function lengthWithoutRepetitions(text: string, body: string): number {
  const rest = [...text].length - [...body].length
  const whole = [...body].length
  const unit = [...repeatedUnit(body)].length
  return rest + (unit * 2 <= whole ? unit : whole)
}

/** All letters, without what stands between them. */
function onlyLetters(text: string): string {
  return (text.match(/\p{L}+/gu) ?? []).join('')
}

/** Without the digits and signs at both ends, which people add to reach a length. */
function lettersOf(text: string): string {
  const characters = [...text]
  const isLetter = (character: string) => /\p{L}/u.test(character)
  const first = characters.findIndex(isLetter)
  if (first === -1) return text
  return characters.slice(first, characters.findLastIndex(isLetter) + 1).join('')
}

/** The words in texts such as a name or a host, longest first. */
function wordsOf(texts: readonly string[]): readonly string[] {
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
 * Whether a password has nothing of its own: besides the words, forwards or backwards, only digits,
 * signs and a few letters or a common password.
 */
function isMadeOf(
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

/** The longest password of the list. */
const LONGEST = 20

/** Days of about a century, in three orders. */
const GUESSES_FOR_A_DATE = 100_000
const GUESSES_FOR_A_YEAR = 100
const GUESSES_FOR_A_LETTER = 26
const GUESSES_FOR_ANOTHER_CHARACTER = 10

/** With a hash that takes 50 ms, fewer guesses take one core less than two years. */
const FEWEST_GUESSES = 1e9

const DATES = [
  /(?:19|20)\d\d[-./ ]?(?:1[0-2]|0?[1-9])[-./ ]?(?:3[01]|[12]\d|0?[1-9])/y,
  /(?:3[01]|[12]\d|0?[1-9])[-./ ]?(?:1[0-2]|0?[1-9])[-./ ]?(?:19|20)?\d\d/y,
  /(?:1[0-2]|0?[1-9])[-./ ]?(?:3[01]|[12]\d|0?[1-9])[-./ ]?(?:19|20)?\d\d/y,
]
const YEAR = /(?:19|20)\d\d/y

/**
 * Whether a text is found with few guesses by one who puts common passwords, dates and single
 * characters together. `ranks` has the common passwords, the most common one with 1. Linear: from
 * each place a few pieces are tried.
 */
function isPutTogether(text: string, ranks: ReadonlyMap<string, number>): boolean {
  /** For each place, the fewest guesses for what is before it. */
  const fewest = new Array<number>(text.length + 1).fill(Number.POSITIVE_INFINITY)
  fewest[0] = 1
  for (let place = 0; place < text.length; place++) {
    const before = fewest[place] ?? 0
    if (before >= FEWEST_GUESSES) continue
    for (const [length, guesses] of piecesAt(text, place, ranks)) {
      const after = place + length
      fewest[after] = Math.min(fewest[after] ?? 0, before * guesses)
    }
  }
  return (fewest[text.length] ?? 0) < FEWEST_GUESSES
}

/** The pieces that may begin at a place: their length, and how many guesses each takes. */
function* piecesAt(
  text: string,
  place: number,
  ranks: ReadonlyMap<string, number>,
): Generator<readonly [length: number, guesses: number]> {
  yield [1, guessesForCharacter(text.charAt(place))]
  for (let length = 2; length <= Math.min(LONGEST, text.length - place); length++) {
    const rank = ranks.get(text.slice(place, place + length))
    if (rank !== undefined) yield [length, rank]
  }
  for (const date of DATES) {
    const length = lengthAt(date, text, place)
    if (length > 0) yield [length, GUESSES_FOR_A_DATE]
  }
  const length = lengthAt(YEAR, text, place)
  if (length > 0) yield [length, GUESSES_FOR_A_YEAR]
}

function guessesForCharacter(character: string): number {
  return /\p{L}/u.test(character) ? GUESSES_FOR_A_LETTER : GUESSES_FOR_ANOTHER_CHARACTER
}

function lengthAt(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place
  return pattern.exec(text)?.[0].length ?? 0
}

/**
 * Passwords that attackers try first, with their ranks: those of zxcvbn-ts, found in leaks, in
 * lower case. Loaded when a person first chooses a password, because most processes never need the
 * list.
 */
let list: Promise<ReadonlyMap<string, number>> | undefined

function commonPasswords(): Promise<ReadonlyMap<string, number>> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Map(dictionary['passwords-common'].map((password, index) => [password, index + 1])),
  )
  return list
}
