/** Another text of the same length: the character at one place is never the one that was there. */
export function alter(text: string, place = 0): string {
  const other = text[place] === 'A' ? 'B' : 'A'
  return text.slice(0, place) + other + text.slice(place + 1)
}
