import type { FastifyRequest } from 'fastify'
import { BodyTooLargeError } from '../../../foundation/http/client-fault.ts'
import type { AppContext } from '../../../gate/context.ts'

/** Sealed, the longest kept form has about 350 kB. */
const MOST_BYTES = 512 * 1024

/** The options of a route whose form may carry a kept form. Everything else in it is as short as in other forms. */
export function withKeptForm({ limits }: AppContext) {
  return {
    bodyLimit: MOST_BYTES,
    preHandler: async ({ body }: FastifyRequest): Promise<void> => {
      if (!(body instanceof URLSearchParams)) return
      const others = [...body].filter(([name]) => name !== 'kept_form')
      const length = others.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
      if (length > limits.formBodyBytes) throw new BodyTooLargeError(limits.formBodyBytes)
    },
  }
}
