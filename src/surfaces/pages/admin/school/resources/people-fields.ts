import type { z } from 'zod'
import { email } from '../../../../../domain/operation/fields.ts'
import type { ReadOperation } from '../../../../../domain/operation.ts'
import type { Ask, FormField } from '../field.ts'

/** A list of people that finds one by their email. */
type PeopleList = ReadOperation<
  z.ZodObject<{
    readonly email: z.ZodOptional<typeof email>
    readonly limit: z.ZodDefault<z.ZodInt>
  }>,
  z.ZodObject<{ readonly data: z.ZodArray<z.ZodObject<{ readonly id: z.ZodString }>> }>
>

/** Names a person by their email: operators do not know ids, and lists of people are long. */
export function byEmail<N extends string>(
  name: N,
  label: string,
  list: PeopleList,
): FormField<N, unknown> {
  return {
    name,
    label,
    kind: 'email',
    unknown: 'No person here has this email. Add them first, or check the spelling.',
    async resolve(typed: string, ask: Ask) {
      if (!email.safeParse(typed).success) return undefined
      const { data } = await ask(list, { email: typed, limit: 1 })
      return data[0]?.id
    },
  }
}
