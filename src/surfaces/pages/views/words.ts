import { MOST_SHOWN } from '../../../domain/operation/list-page.ts'

/** "1 app", "3 apps". */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** A waiting time as text. */
export function waitInWords(seconds: number): string {
  if (seconds <= 60) return 'a minute'
  return `${Math.ceil(seconds / 60)} minutes`
}

/** The same for a number that was counted no further than one more than `most`. */
export function countUpTo(number: number, one: string, many: string, most = MOST_SHOWN): string {
  return `${upTo(most, number)} ${number === 1 ? one : many}`
}

/** "12", or "1,000+" if it was counted no further. */
export function upTo(most: number, number: number): string {
  return number > most ? `${most.toLocaleString('en')}+` : number.toLocaleString('en')
}

/** "student" as a label: "Student". */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
