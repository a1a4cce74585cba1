/**
 * The end of a scale that starts at zero: a round number at or above the greatest value that is
 * twice another round number, so that the middle line has a short label too.
 */
export function topOf(greatest: number): number {
  if (greatest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(greatest / 2))
  const factor = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => 2 * one * power >= greatest) ?? 10
  return 2 * factor * power
}

/** The first, the middle and the last, for an axis with room for three labels. */
export function fewOf<T>(all: readonly T[]): readonly T[] {
  if (all.length <= 3) return all
  const middle = Math.floor((all.length - 1) / 2)
  return [all[0], all[middle], all.at(-1)] as readonly T[]
}

/** A number for an SVG attribute, rounded to hundredths, which no screen resolves. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
