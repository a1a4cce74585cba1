/**
 * What a code means and what to do: the same words in the guide of every surface. Names are in
 * backticks.
 */
export interface Explained {
  readonly cause: string
  readonly remedy: string
}

export function explain(cause: string, remedy: string): Explained {
  return { cause, remedy }
}
