/** "1 h 5 min", "2 h"; undefined for something without a length. */
export function lengthInWords(seconds: number): string | undefined {
  if (seconds === 0) return undefined
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} min`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
