type Output = Record<string, unknown>

/**
 * What a write answers. It is done, so an answer that is too long must not look like a failure, and a cursor would
 * do it again: long parts are left out.
 */
export function boundWriting(output: Output, maxCharacters: number): Output {
  if (JSON.stringify(output).length <= maxCharacters) return output
  return {
    ...Object.fromEntries(Object.entries(output).filter(([, value]) => isShort(value))),
    omitted: 'It is done. Long parts were left out of this answer; read the object to see them.',
  }
}

function isShort(value: unknown): boolean {
  return typeof value === 'string'
    ? value.length <= 300
    : typeof value !== 'object' || value === null
}
