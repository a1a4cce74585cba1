import { z } from 'zod'
import { RequestRefusedError } from '../../foundation/http/client-fault.ts'

const map = (name: string) =>
  z
    .record(z.string(), z.unknown(), { error: `${name} must be an object` })
    .nullish()
    .transform((value) => value ?? {})

const requestSchema = z.object(
  {
    query: z.string({ error: 'query must be a string that holds a GraphQL document' }),
    variables: map('variables'),
    operationName: z
      .string({ error: 'operationName must be a string' })
      .nullish()
      .transform((name) => (name === null || name === '' ? undefined : name)),
    extensions: map('extensions'),
  },
  { error: 'the body must be a JSON object with a member query' },
)

export type GraphQLRequest = z.output<typeof requestSchema>

/** @see GraphQL over HTTP §5.1 */
export function parseGraphQLRequest(body: unknown): GraphQLRequest {
  const parsed = requestSchema.safeParse(body)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ message }) => message)
  throw new RequestRefusedError(400, `This is no GraphQL request: ${problems.join('; ')}.`)
}
