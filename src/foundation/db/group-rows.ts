/** Rows by the owner that each names, in the order they came. */
export function groupRows<R>(rows: readonly R[], ownerOf: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>()
  for (const row of rows) {
    const owner = ownerOf(row)
    const group = groups.get(owner)
    if (group === undefined) groups.set(owner, [row])
    else group.push(row)
  }
  return groups
}
