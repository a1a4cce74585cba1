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
 * Whether a text is found with few guesses by one who puts common passwords, dates and single characters together. `ranks`
 * has the common passwords, the most common one with 1. Linear: from each place a few pieces are tried.
 */
export function isPutTogether(text: string, ranks: ReadonlyMap<string, number>): boolean {
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
