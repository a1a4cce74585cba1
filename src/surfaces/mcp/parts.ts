import { sha256 } from '../../foundation/crypto/digest.ts'
import { uuidFromBytes } from '../../foundation/crypto/random.ts'
import { encodeCursor, parseCursor } from '../../foundation/db/keyset.ts'
import { unknownCursor } from './paging.ts'
import { ToolProblem } from './tool.ts'

/**
 * Something that is read in parts. Its cursors carry a digest of the content, so that parts of two
 * versions are never put together.
 */
export class Whole {
  readonly #name: string
  readonly #content: string
  readonly #length: number
  #digest: string | undefined

  /**
   * `name` says what is read, such as a tool and its arguments; `content` is all that decides where
   * a part begins and ends.
   */
  constructor(name: string, content: string, length: number) {
    this.#name = name
    this.#content = content
    this.#length = length
  }

  /** The cursor of the part that begins here; null at the end. */
  cursorAt(place: number): string | null {
    if (place >= this.#length) return null
    return encodeCursor(this.#name, { value: place, id: this.#digestOfContent() })
  }

  /**
   * Where the part of a cursor begins; without a cursor, or with an empty one, at the beginning.
   */
  placeOf(cursor: string | undefined): number {
    if (!cursor) return 0
    const found = parseCursor(this.#name, 'number', cursor)
    if (found === undefined) throw unknownCursor()
    const isHere = found.value >= 0 && found.value < this.#length
    if (isHere && found.id === this.#digestOfContent()) return found.value
    throw new ToolProblem(
      'What you read has changed since the part before. Leave the cursor out to start from the beginning.',
      'stale_version',
    )
  }

  #digestOfContent(): string {
    this.#digest ??= uuidFromBytes(sha256(this.#content))
    return this.#digest
  }
}

/** A part of a text that breaks no character in two. */
export function sliceText(text: string, from: number, length: number): string {
  const until = from + length
  const last = text.charCodeAt(until - 1)
  const isBroken = length > 1 && until < text.length && last >= 0xd800 && last <= 0xdbff
  return text.slice(from, isBroken ? until - 1 : until)
}
