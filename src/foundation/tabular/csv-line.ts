import type { Cell } from './csv-reader.ts'

/**
 * One line of CSV. An absent value is an empty cell, an empty text a pair of quotation marks.
 *
 * @see RFC 4180 §2
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

/** Includes the separators that any spreadsheet may assume, so that none of them splits a cell. */
const NEEDS_QUOTES = /^$|^\s|\s$|[",;\t\r\n|]/

function writeCell(cell: Cell): string {
  if (cell === null) return ''
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** The first characters that make spreadsheets run a text as a formula, after any number of our marks. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/**
 * Puts an apostrophe, which spreadsheets hide, before a text that a spreadsheet would run as a
 * formula: the name `=HYPERLINK(…)` of a student must not become a link in an exported file.
 * `unguarded` removes the apostrophe, so that an exported file can be imported unchanged.
 */
export function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

export function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
