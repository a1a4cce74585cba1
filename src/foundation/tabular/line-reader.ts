import { type FileRecord, MAX_RECORD_LENGTH, type RecordReader, TOO_LONG } from './record.ts'

/** Reads a file of lines, such as NDJSON. Empty lines are skipped but counted. */
export function lineReader(maxLength = MAX_RECORD_LENGTH): RecordReader<string> {
  let rest = ''
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

  return {
    push(piece) {
      const found: FileRecord<string>[] = []
      const text = rest + piece
      let start = 0
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
        take(text.slice(start, at), found)
        start = at + 1
      }
      rest = text.slice(start)
      if (rest.length > maxLength) {
        skipping = true
        rest = ''
      }
      return found
    },
    end() {
      const found: FileRecord<string>[] = []
      if (rest !== '' || skipping) take(rest, found)
      rest = ''
      return found
    },
  }
}
