/** "1 h 5 min", "2 h"; undefined for something without a length. */
export function lengthInWords(seconds: number): string | undefined {
  if (seconds === 0) return undefined
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} min`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

/** "12:40", "1:02:05": how players show a moment. */
export function momentInFilm(seconds: number): string {
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60]
  if (seconds >= 3600) parts.unshift(Math.floor(seconds / 3600))
  return parts.map((part, n) => (n === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
