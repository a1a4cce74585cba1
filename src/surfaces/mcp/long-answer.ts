import { z } from 'zod'

const DEFAULT_CHARACTERS = 80_000
export const MAX_CHARACTERS = 200_000

/** The argument of every tool whose answer can be long. */
export const lengthInput = {
  max_characters: z
    .number()
    .int()
    .min(1000)
    .max(MAX_CHARACTERS)
    .default(DEFAULT_CHARACTERS)
    .describe('length of the answer; a longer one is cut, and nextCursor gives the rest'),
}

interface Parts<A extends object> {
  /** How many characters the answer may have as JSON. */
  readonly max: number
  /** How many rows, lectures or characters there are to show. */
  readonly count: number
  /**
   * The answer that shows the first ones, with the cursor of the next. It gets longer with each.
   */
  readonly write: (shown: number) => A
  /**
   * What to answer if not even one fits. Without it one is shown, so that a reader always gets on.
   */
  readonly orElse?: () => LongAnswer<A>
}

/** An answer that is cut where it gets too long for a model. It stays valid: it only shows less. */
export class LongAnswer<A extends object = object> {
  readonly #parts: Parts<A>

  constructor(parts: Parts<A>) {
    this.#parts = parts
  }

  /** The longest answer that fits, and its JSON. */
  fit(): { readonly answer: A; readonly text: string } {
    const { max, count, write, orElse } = this.#parts
    const show = (shown: number): { answer: A; text: string } => {
      const answer = write(shown)
      return { answer, text: JSON.stringify(answer) }
    }
    const whole = show(count)
    if (whole.text.length <= max) return whole
    let fitting: ReturnType<typeof show> | undefined
    let [low, high] = [1, count - 1]
    while (low <= high) {
      const middle = Math.ceil((low + high) / 2)
      const tried = show(middle)
      if (tried.text.length <= max) {
        fitting = tried
        low = middle + 1
      } else {
        high = middle - 1
      }
    }
    return fitting ?? orElse?.().fit() ?? show(Math.min(1, count))
  }
}
