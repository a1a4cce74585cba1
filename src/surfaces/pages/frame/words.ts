import { MOST_SHOWN } from '../../../domain/operation/list-page.ts'
import { currencyOf } from '../../../foundation/text/currency.ts'

/** "1 app", "3 apps". */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** A waiting time as text. */
export function waitInWords(seconds: number): string {
  if (seconds <= 60) return 'a minute'
  return `${Math.ceil(seconds / 60)} minutes`
}

/** "1,000+ apps": a number that was counted no further than one more than `most`. */
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

/** Formats an amount in minor units. 0 is "Free". */
export function formatMoney(amount: number, currency: string): string {
  return amount === 0 ? 'Free' : currencyOf(currency).format(amount)
}

/** "$12.00 a month", or "Free". */
export function formatPriceEach(amount: number, currency: string, interval: string): string {
  const price = formatMoney(amount, currency)
  return amount === 0 ? price : `${price} a ${interval}`
}

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

export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB']
  const step = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  const amount = bytes / 1000 ** step
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[step - 1]}`
}

/** "in 5 hours", rounded down: what ends must not last longer than its page says. */
export function dueIn(until: Date, now: Date): string {
  const minutes = Math.floor((until.getTime() - now.getTime()) / 60_000)
  if (minutes < 1) return 'in less than a minute'
  const [count, unit] =
    minutes < 120
      ? [minutes, 'minute']
      : minutes < 72 * 60
        ? [Math.floor(minutes / 60), 'hour']
        : [Math.floor(minutes / (24 * 60)), 'day']
  return `in ${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The words that lead to the lecture a member goes on with. */
export function continueWords(goesOnAt: number | undefined): string {
  return goesOnAt === undefined ? 'Continue' : `Continue from ${momentInFilm(goesOnAt)}`
}
