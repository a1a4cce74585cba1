import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ENDPOINTS } from '../../foundation/protocol/endpoints.ts'
import type { AppContext } from '../../gate/context.ts'
import { refuseOtherMethods } from './other-methods.ts'
import { sendJson } from './send-json.ts'
import { answerUserInfoRequest } from './userinfo.ts'

export function addUserInfoRoutes(app: FastifyInstance, context: AppContext): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) =>
    sendJson(reply, 200, await answerUserInfoRequest(request))
  // Only the header carries a token; the body of a POST is not read.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: context.limits.formBodyBytes },
    (_request, _body, done) => done(null),
  )
  app.get(ENDPOINTS.userinfo, answer)
  app.post(ENDPOINTS.userinfo, answer)
  refuseOtherMethods(app, ENDPOINTS.userinfo, ['GET', 'POST'])
}
