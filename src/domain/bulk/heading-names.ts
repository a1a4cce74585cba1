const NAME_LENGTH = 200

/** A heading on one line: forms of browsers change the ends of lines in what they send back. */
export function headingName(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, NAME_LENGTH)
}

/** The headings of a file, each with a name of its own: the second "Email" is "Email (2)". */
export function headingNames(cells: readonly (string | null)[]): readonly string[] {
  const written = cells.map((cell) => headingName(cell ?? ''))
  const taken = new Set(written)
  const seen = new Set<string>()
  return written.map((name) => {
    if (!seen.has(name)) {
      seen.add(name)
      return name
    }
    let number = 2
    while (taken.has(`${name} (${number})`.trim())) number += 1
    const own = `${name} (${number})`.trim()
    taken.add(own)
    return own
  })
}
