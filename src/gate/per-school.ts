import type { School } from '../domain/schools/school.ts'
import {
  type ConstantDocument,
  constantDocument,
  type DocumentOptions,
  textDocument,
} from '../foundation/http/conditional.ts'

/**
 * A document of each school, written once per school object: the directory replaces a school that changed. A string is
 * sent as it is, anything else as JSON.
 */
export function perSchool(
  options: DocumentOptions,
  write: (school: School) => string | object,
): (school: School) => ConstantDocument {
  const written = new WeakMap<School, ConstantDocument>()
  return (school) => {
    const known = written.get(school)
    if (known !== undefined) return known
    const value = write(school)
    const document =
      typeof value === 'string' ? textDocument(value, options) : constantDocument(value, options)
    written.set(school, document)
    return document
  }
}
