const PAIR = /^([\w!#$%&'*+.^`|~-]+)=([ -~]*)$/
const VISIBLE = /^[ -~]*$/

/**
 * Reads `name=value,name=value` with percent-encoded values, the form in which OpenTelemetry has such lists. Undefined if it
 * does not fit.
 *
 * @see https://www.w3.org/TR/baggage/#header-content
 */
export function parseNamedValues(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').flatMap((part) => part.trim() || [])
  const parsed = pairs.flatMap((pair) => {
    const [, name = '', value = ''] = PAIR.exec(pair) ?? []
    const decoded = decode(value)
    return name === '' || decoded === undefined ? [] : [[name, decoded] as const]
  })
  return parsed.length === pairs.length ? Object.fromEntries(parsed) : undefined
}

function decode(value: string): string | undefined {
  try {
    const decoded = decodeURIComponent(value.trim())
    return VISIBLE.test(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}
