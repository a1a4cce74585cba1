/** A list that a caller cannot page is longer than one request may read. */
export class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError'
  readonly maximum: number

  constructor(maximum: number) {
    super(`More than ${maximum} rows would have to be read at once. Ask for fewer objects.`)
    this.maximum = maximum
  }
}

/** Checks the rows of a statement that ends in `limit maximum + 1`. */
export function atMost<R>(rows: readonly R[], maximum: number): readonly R[] {
  if (rows.length > maximum) throw new TooManyRowsError(maximum)
  return rows
}
