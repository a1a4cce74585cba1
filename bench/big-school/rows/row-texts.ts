import { schoolIdOf } from '../ids.ts'
import type { SchoolSize } from '../school-size.ts'

/** SQL for the rows of one school. */
export interface RowTexts {
  /** The school's id. */
  readonly school: string
  /** The id of the nth row of a kind. */
  id(kind: string, n: string | number): string
  /** When the nth of `count` rows was made, over the last two years. */
  ago(n: string, count: number): string
  /** One of these texts, by the number. */
  oneOf(n: string, texts: readonly string[]): string
}

export function rowTexts(size: SchoolSize): RowTexts {
  return {
    school: `'${schoolIdOf(size)}'::uuid`,
    id: (kind, n) => `big_id('${kind}', ${size.number}, ${n})`,
    ago: (n, count) =>
      `(now() - interval '730 days' * (1 - (${n})::float8 / ${count}))::timestamptz(3)`,
    oneOf: (n, texts) =>
      `(array[${texts.map((text) => `'${text}'`).join()}])[1 + (${n}) % ${texts.length}]`,
  }
}

/** Rows from 1 to `count`. */
export const each = (name: string, count: number | string): string =>
  `generate_series(1, ${count}) ${name}`
