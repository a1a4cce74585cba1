import type { School } from '../../domain/schools/school.ts'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { assembledDocument, type ConstantDocument } from '../../foundation/http/conditional.ts'
import { openApiDocument } from './openapi.ts'
import type { DescribedRoute } from './route.ts'

/** Stand for the words of a school in the text that all schools share. */
const ORIGIN = 'https://origin.schoolgate.invalid'
const CONTACT = 'contact.schoolgate.invalid'

/**
 * `/openapi.json` of every school. The text is long, so it is made once for all of them, and a school
 * keeps only its ETag; the directory replaces a school that changed.
 */
export class Descriptions {
  readonly #digest: string
  readonly #head: Buffer
  readonly #rest: readonly Buffer[]
  readonly #made = new WeakMap<School, ConstantDocument>()

  constructor(routes: readonly DescribedRoute[]) {
    const text = JSON.stringify(openApiDocument(routes, { origin: ORIGIN, contact: CONTACT }))
    this.#digest = sha256(text).toString('base64url')
    const [head = '', rest = ''] = text.split(`"${CONTACT}"`)
    this.#head = Buffer.from(head)
    this.#rest = rest.split(ORIGIN).map((part) => Buffer.from(part))
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
    const [first = Buffer.alloc(0), ...others] = this.#rest
    return Buffer.concat([this.#head, contact, first, ...others.flatMap((part) => [origin, part])])
  }
}

/** The school's own contact address if it has one; the guide answers most questions. */
function contactOf({ name, origin, contactEmail }: School): Record<string, string> {
  const url = `${origin}/docs`
  return contactEmail === undefined ? { name, url } : { name, url, email: contactEmail }
}
