/** "1 h 5 min"; undefined for something without a length. */
export function lengthInWords(seconds: number): string | undefined {
  if (seconds === 0) return undefined
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`
}
