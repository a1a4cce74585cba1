import type { Cell } from './csv-reader.ts'

/**
 * One line of CSV. An absent value is an empty cell, an empty text a pair of quotation marks.
 *
 * @see RFC 4180 §2
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

/** Separators of any spreadsheet: with another one a part of a cell would become a cell of its own. */
const NEEDS_QUOTES = /^$|^\s|\s$|[",;\t\r\n|]/

function writeCell(cell: Cell): string {
  if (cell === null) return ''
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** What makes spreadsheets take a text for a formula, behind any number of our own marks. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/**
 * A text that a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets
 * hide: a student called `=HYPERLINK(…)` must not become a link on an accountant's desk.
 * `unguarded` takes it away again, so that a file comes back as it was written.
 */
export function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

export function unguarded(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}
