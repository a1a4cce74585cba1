import { capitalized } from '../../../views/words.ts'

/** `past_due` as people write it: "Past due". Pages spell "canceled" one way, values on the wire two. */
export function inWords(value: string): string {
  return capitalized(value.replaceAll('_', ' ').replace('cancelled', 'canceled'))
}

/** "an event", "a course". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}
