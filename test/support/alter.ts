/** A text of the same length with another character at one position. */
export function alter(text: string, place = 0): string {
  const other = text[place] === 'A' ? 'B' : 'A'
  return text.slice(0, place) + other + text.slice(place + 1)
}
