import { type FastifyRequest, fastify } from 'fastify'
import { createSchema, createYoga } from 'graphql-yoga'
import { type MemberContext, memberContext, resolvers, typeDefs } from './graphql-peer.ts'
import { announce } from './serve.ts'

const app = fastify()
interface Incoming {
  readonly incoming: FastifyRequest
}

const yoga = createYoga<Incoming, MemberContext>({
  graphqlEndpoint: '/member/graphql',
  schema: createSchema<Incoming & MemberContext>({ typeDefs, resolvers }),
  context: ({ incoming }) => memberContext(incoming),
  logging: false,
  landingPage: false,
})
// Yoga reads bodies itself.
app.addContentTypeParser('application/json', {}, (_request, _payload, done) => done(null))
app.post('/member/graphql', (request, reply) =>
  yoga.handleNodeRequestAndResponse(request, reply, { incoming: request }),
)
await app.listen({ host: '127.0.0.1', port: 0 })
announce(app.server.address())
