import { type HostileText, ownTexts } from './hostile-texts.ts'

/**
 * Every mark that begins a block of Markdown, alone, with a letter, in one another, indented and
 * not.
 */
const LINES = [
  '',
  'k',
  '  k',
  '    k',
  '>',
  '>>',
  '> k',
  '> - k',
  '-',
  '- k',
  '- - k',
  '- > k',
  '1. k',
  '# k',
  '```',
  '- ~~~',
  '***',
]

/**
 * Texts that repeat so many lines, in every combination: a parser may look ahead at one line and
 * come back at another.
 */
export function textsOfLines(count: number): readonly HostileText[] {
  let units = ['']
  for (let line = 0; line < count; line++) {
    units = units.flatMap((unit) => LINES.map((next) => `${unit}${next}\n`))
  }
  return ownTexts(units)
}
