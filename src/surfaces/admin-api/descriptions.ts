import type { School } from '../../domain/schools/school.ts'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { assembledDocument, type ConstantDocument } from '../../foundation/http/conditional.ts'

/** Stand for the words of a school in the text that all schools share. */
const ORIGIN = 'https://origin.schoolgate.invalid'
const CONTACT = 'contact.schoolgate.invalid'
const PLACES = new RegExp(`(${ORIGIN}|"${CONTACT}")`)

interface DescribedSchool {
  readonly origin: string
  /** A Contact Object of OpenAPI, or what stands for it. */
  readonly contact: unknown
}

/**
 * A long document of every school, such as `/openapi.json`. Its text is made once for all of them,
 * and a school keeps only the ETag; the directory replaces a school that changed.
 */
export class Descriptions {
  readonly #digest: string
  /** At odd places `true` stands for the origin and `false` for the contact. */
  readonly #parts: readonly (Buffer | boolean)[]
  readonly #made = new WeakMap<School, ConstantDocument>()

  constructor(describe: (school: DescribedSchool) => object) {
    const text = JSON.stringify(describe({ origin: ORIGIN, contact: CONTACT }))
    this.#digest = sha256(text).toString('base64url')
    this.#parts = text
      .split(PLACES)
      .map((part, index) => (index % 2 === 0 ? Buffer.from(part) : part === ORIGIN))
  }

  of(school: School): ConstantDocument {
    const known = this.#made.get(school)
    if (known !== undefined) return known
    const contact = JSON.stringify(contactOf(school))
    const origin = JSON.stringify(school.origin).slice(1, -1)
    const made = assembledDocument(
      this.#digest + origin + contact,
      () => this.#assemble(Buffer.from(contact), Buffer.from(origin)),
      { maxAgeSeconds: 300 },
    )
    this.#made.set(school, made)
    return made
  }

  /** Copies bytes: to encode the text for each answer takes four times as long. */
  #assemble(contact: Buffer, origin: Buffer): Buffer {
    return Buffer.concat(
      this.#parts.map((part) => (typeof part === 'boolean' ? (part ? origin : contact) : part)),
    )
  }
}

/** The school's own contact address if it has one; the guide answers most questions. */
function contactOf({ name, origin, contactEmail }: School): Record<string, string> {
  const url = `${origin}/docs`
  return contactEmail === undefined ? { name, url } : { name, url, email: contactEmail }
}
