/** Values of variables, with defaults filled in. */
export type Variables = Readonly<Record<string, unknown>>

/** A cost that is known from the document, or only with the values of its variables. */
export type Cost = number | ((variables: Variables) => number)

export function costWith(cost: Cost, variables: Variables): number {
  return typeof cost === 'number' ? cost : cost(variables)
}

export function plus(a: Cost, b: Cost): Cost {
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (a === 0) return b
  if (b === 0) return a
  return (variables) => costWith(a, variables) + costWith(b, variables)
}

export function times(a: Cost, b: Cost): Cost {
  if (typeof a === 'number' && typeof b === 'number') return a * b
  if (a === 0 || b === 0) return 0
  return (variables) => costWith(a, variables) * costWith(b, variables)
}
