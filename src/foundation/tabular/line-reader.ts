import { type FileRecord, MAX_RECORD_LENGTH, type RecordReader, TOO_LONG } from './record.ts'

/** Reads a file of lines, such as NDJSON. Empty lines are skipped but counted. */
export function lineReader(maxLength = MAX_RECORD_LENGTH): RecordReader<string> {
  /** The pieces of a line whose end has not arrived. Put together once, so that a long line costs no more. */
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
