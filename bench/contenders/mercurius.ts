import { fastify } from 'fastify'
import mercurius from 'mercurius'
import { type MemberContext, memberContext, resolvers, typeDefs } from './graphql-peer.ts'
import { announce } from './serve.ts'

const app = fastify()
app.register(mercurius, {
  path: '/member/graphql',
  schema: typeDefs,
  // Its types accept only a context that is declared for the whole program.
  resolvers: resolvers as unknown as NonNullable<mercurius.MercuriusOptions['resolvers']>,
  context: (request): Promise<MemberContext> => memberContext(request),
  jit: 1,
})
await app.listen({ host: '127.0.0.1', port: 0 })
announce(app.server.address())
