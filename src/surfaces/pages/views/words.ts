/** "1 app", "3 apps". */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** A waiting time as text. */
export function waitInWords(seconds: number): string {
  if (seconds <= 60) return 'a minute'
  return `${Math.ceil(seconds / 60)} minutes`
}
