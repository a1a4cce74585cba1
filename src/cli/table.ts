type Cell = string | number | boolean | Date | null | undefined

/** Rows under headings, in columns as wide as needed; the sentence `none` if there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  none: string,
): string {
  if (rows.length === 0) return none
  const cells = [headings, ...rows.map((row) => row.map(asText))]
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names beside their values, one to a line. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${asText(value)}`).join('\n')
}

/** Control characters in a stored name must not control the terminal. */
function asText(value: Cell): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value).replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
}
