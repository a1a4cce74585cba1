import type { z } from 'zod'
import { email } from '../../../../domain/operation/fields.ts'
import type { ReadOperation } from '../../../../domain/operation/operation.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { FormField } from '../crud/field.ts'
import type { Ask } from '../frame/operator.ts'

/** A list of people that finds them by their email or by words of their name. */
type PeopleList = ReadOperation<
  z.ZodObject<{
    readonly email: z.ZodOptional<typeof email>
    readonly search: z.ZodOptional<z.ZodString>
    readonly limit: z.ZodDefault<z.ZodInt>
  }>,
  z.ZodObject<{
    readonly data: z.ZodArray<
      z.ZodObject<{
        readonly id: z.ZodString
        readonly name: z.ZodString
        readonly email: z.ZodEmail
      }>
    >
  }>
>

/** People that a message tells if none or several have the name. */
const MOST_TOLD = 5
/** People with the typed words in their name or email who are compared with the whole name. */
const MOST_READ = 100
const LONGEST_SEARCH = 100

/**
 * Names a person by their email, or by their name if no other person has it: lists of people are
 * long.
 */
export function aPerson<N extends string>(
  name: N,
  label: string,
  list: PeopleList,
): FormField<N, unknown> {
  return {
    name,
    label,
    kind: 'line',
    hint: 'Or the whole name, if only one person has it.',
    unknown: 'No person here has this email or name. Add them first, or check the spelling.',
    async resolve(typed: string, ask: Ask) {
      if (email.safeParse(typed).success) {
        const { data } = await ask(list, { email: typed, limit: 1 })
        return data[0]?.id
      }
      const { data } = await ask(list, {
        search: typed.slice(0, LONGEST_SEARCH),
        limit: MOST_READ,
      })
      if (data.length === 0) return undefined
      // A part of a name could mean a person that the author did not think of, and the form does
      // not show who it took.
      const named = data.filter((one) => asCompared(one.name) === asCompared(typed))
      const [only] = named
      if (only === undefined)
        return { problem: `No person has exactly this name. Similar: ${tell(data)}` }
      const isOnly = named.length === 1 && data.length < MOST_READ
      return isOnly ? only.id : { problem: `Several people match: ${tell(named)}` }
    },
  }
}

const asCompared = (name: string): string => plainText(name).normalize('NFC').trim().toLowerCase()

function tell(people: readonly { readonly name: string; readonly email: string }[]): string {
  const told = people.slice(0, MOST_TOLD).map((one) => `${plainText(one.name)} (${one.email})`)
  const rest = people.length > MOST_TOLD ? ' and others' : ''
  return `${told.join(', ')}${rest}. Write the email.`
}
