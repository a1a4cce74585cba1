import { email } from '../../../../../domain/operation/fields.ts'
import type { ReadOperation } from '../../../../../domain/operation.ts'
import type { Ask, FormField } from '../resource.ts'
import { rowsOf, textOf } from '../resource.ts'

/** A person who is named by their email: nobody knows ids by heart, and lists of people are long. */
export function byEmail(name: string, label: string, list: ReadOperation): FormField {
  return {
    name,
    label,
    kind: 'email',
    unknown: 'Nobody here has this email. Add them first, or check its spelling.',
    async resolve(typed: string, ask: Ask) {
      if (!email.safeParse(typed).success) return undefined
      const found = await ask(list, { email: typed, limit: 1 })
      const [person] = rowsOf(found, 'data')
      return person && textOf(person, 'id')
    },
  }
}
