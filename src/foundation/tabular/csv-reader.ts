import {
  type FileRecord,
  MAX_RECORD_LENGTH,
  type RecordReader,
  TOO_LONG,
  UnreadableFileError,
} from './read-records.ts'

/**
 * An empty cell is null and an empty pair of quotation marks the empty text, as in PostgreSQL's
 * COPY.
 */
export type Cell = string | null

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/**
 * Reads records of cells from CSV that arrives in pieces. The separator is the one that the first
 * line has most of: a comma, or the semicolon or tab that spreadsheets write in some countries.
 *
 * @see RFC 4180 §2
 */
export function csvReader(maxLength = MAX_RECORD_LENGTH): RecordReader<readonly Cell[]> {
  let rest = ''
  /** What arrived since the last reading. */
  let waiting: string[] = []
  let waitingLength = 0
  let line = 1
  let separator: number | undefined
  /**
   * Whether lines end with CR alone, as "CSV (Macintosh)" of spreadsheets writes them; unknown
   * before the first end.
   */
  let endsWithCr: boolean | undefined

  function read(arrived: string, final: boolean): FileRecord<readonly Cell[]>[] {
    endsWithCr ??= arrived.includes('\n') ? false : /\r(?!$)/.test(arrived) || undefined
    const text = endsWithCr === true ? arrived.replaceAll('\r', '\n') : arrived
    const found: FileRecord<readonly Cell[]>[] = []
    let start = 0
    while (start < text.length) {
      separator ??= separatorOf(text, start, final)
      if (separator === undefined) break
      const scanned = scanRecord(text, start, separator, final)
      if (scanned === undefined) break
      const { end, cells, breaks, malformed } = scanned
      if (end - start > maxLength) found.push({ line, problem: TOO_LONG })
      else if (malformed) found.push({ line, problem: MALFORMED })
      else if (cells.length > 1 || cells[0] !== null) found.push({ line, content: cells })
      line += breaks
      start = end
    }
    rest = text.slice(start)
    return found
  }

  function takeAll(): string {
    checkLength()
    const text = rest + waiting.join('')
    waiting = []
    waitingLength = 0
    return text
  }

  /**
   * The end of a record is unknown until its quotes are closed, so the rest of the file is
   * unreadable.
   */
  function checkLength(): void {
    if (rest.length <= maxLength) return
    throw new UnreadableFileError(
      line,
      'too_long',
      'The record that begins here is longer than 1 MiB. Perhaps a quotation mark is not closed.',
    )
  }

  return {
    push(piece) {
      checkLength()
      waiting.push(piece)
      waitingLength += piece.length
      // An unfinished record is read again from its beginning, so only once there is twice as much
      // of it: otherwise a long record in small pieces would cost the square of its length.
      if (waitingLength < rest.length) return []
      return read(takeAll(), false)
    },
    end() {
      const found = read(takeAll(), true)
      if (rest !== '') {
        throw new UnreadableFileError(
          line,
          'unclosed_quote',
          'A quotation mark that is opened here is not closed before the file ends.',
        )
      }
      return found
    },
  }
}

const MALFORMED = {
  code: 'malformed',
  detail:
    'A quotation mark stands inside a cell. Put the cell into quotation marks and double those in it.',
} as const

function separatorOf(text: string, start: number, final: boolean): number | undefined {
  const end = text.indexOf('\n', start)
  if (end === -1 && !final) return undefined
  const heading = text.slice(start, end === -1 ? text.length : end)
  // Not those inside quotation marks, where a heading such as "Name, full" has some.
  const outside = heading
    .split('"')
    .filter((_, place) => place % 2 === 0)
    .join('')
  const times = (separator: string): number => outside.split(separator).length
  const [first = ','] = [',', ';', '\t'].sort((one, other) => times(other) - times(one))
  return first.charCodeAt(0)
}

interface Scanned {
  readonly end: number
  readonly cells: Cell[]
  /** The number of lines of the record. */
  readonly breaks: number
  readonly malformed: boolean
}

/** Undefined if the text ends before the record does. */
function scanRecord(
  text: string,
  start: number,
  separator: number,
  final: boolean,
): Scanned | undefined {
  const cells: Cell[] = []
  let breaks = 0
  let malformed = false
  let at = start
  for (;;) {
    let quoted: string | undefined
    if (text.charCodeAt(at) === QUOTE) {
      const close = closingQuote(text, at + 1)
      if (close === undefined || (close + 1 >= text.length && !final)) return undefined
      quoted = text.slice(at + 1, close).replaceAll('""', '"')
      breaks += countBreaks(quoted)
      at = close + 1
    }
    const from = at
    let code = text.charCodeAt(at)
    while (at < text.length && code !== separator && code !== LF) {
      if (code === QUOTE) malformed = true
      at += 1
      code = text.charCodeAt(at)
    }
    if (at >= text.length && !final) return undefined
    const ending = at >= text.length || code === LF
    const to = ending && at > from && text.charCodeAt(at - 1) === CR ? at - 1 : at
    if (quoted === undefined) cells.push(to === from ? null : text.slice(from, to))
    else if (to === from) cells.push(quoted)
    else malformed = true
    at += 1
    if (ending) return { end: Math.min(at, text.length), cells, breaks: breaks + 1, malformed }
  }
}

/** The position of the quotation mark that ends a cell; marks inside the cell are doubled. */
function closingQuote(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== QUOTE) return at
  }
  return undefined
}

function countBreaks(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Reads a file of lines, such as NDJSON. Empty lines are skipped but counted. */
export function lineReader(maxLength = MAX_RECORD_LENGTH): RecordReader<string> {
  /**
   * The pieces of a line whose end has not arrived. Put together once, so that a long line costs no
   * more.
   */
  let held: string[] = []
  let heldLength = 0
  let line = 1
  /** Inside a line that is already too long. */
  let skipping = false

  function take(text: string, found: FileRecord<string>[]): void {
    const content = text.endsWith('\r') ? text.slice(0, -1) : text
    if (skipping || content.length > maxLength) found.push({ line, problem: TOO_LONG })
    else if (content.trim() !== '') found.push({ line, content })
    skipping = false
    line += 1
  }

  function hold(text: string): void {
    held.push(text)
    heldLength += text.length
    if (heldLength <= maxLength) return
    skipping = true
    release()
  }

  function release(): string {
    const text = held.join('')
    held = []
    heldLength = 0
    return text
  }

  return {
    push(piece) {
      const found: FileRecord<string>[] = []
      let start = 0
      for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', start)) {
        take(release() + piece.slice(start, at), found)
        start = at + 1
      }
      hold(piece.slice(start))
      return found
    },
    end() {
      const found: FileRecord<string>[] = []
      const rest = release()
      if (rest !== '' || skipping) take(rest, found)
      return found
    },
  }
}

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

/**
 * The first characters that make spreadsheets run a text as a formula, after any number of our
 * marks.
 */
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
