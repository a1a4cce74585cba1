import { z } from 'zod'
import { READS, scopedTool } from '../tool.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

export const myAccount = scopedTool({
  name: 'my_account',
  title: 'My account',
  description: 'Who is signed in: id, name, email, and their roles at this school. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'profile',
  input: z.strictObject({}),
  output: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    roles: z.array(z.string()),
    graphql: graphqlLink,
  }),
  run: async ({ caller: { person, roles }, school }) => ({
    id: person.id,
    name: person.name,
    email: person.email,
    roles: [...roles],
    graphql: linkTo(school, '{ viewer { id name email schools { name roles } } }'),
  }),
})
