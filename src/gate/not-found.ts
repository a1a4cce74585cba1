import type { FastifyReply, FastifyRequest } from 'fastify'
import type { School } from '../domain/schools/school.ts'
import { nothingHerePage } from '../foundation/html/error-page.tsx'
import type { TrustProxy } from '../foundation/http/client-address.ts'
import { wantsHtml } from '../foundation/http/conditional.ts'
import { answerNotFound as answerPlainNotFound } from '../foundation/http/last-resort.ts'
import { createOriginReader } from '../foundation/http/origin.ts'
import { rawPath } from '../foundation/http/request-body.ts'
import type { RequestLine } from '../foundation/http/request-line.ts'
import { pageHeaders } from '../foundation/http/security-headers.ts'
import { brandingOf } from './branding.ts'
import type { AppContext } from './context.ts'
import { answerOverloaded, answerSuspended } from './refusal.ts'
import { entrantOf } from './school-gate.ts'

/** Paths for programs: an HTML page there would break a client that looks for metadata. */
const PROGRAMS_ONLY = /^\/(\.well-known|api|clients|mcp|member)(\/|$)/

/** JSON that names the guide for programs, a page of the school for browsers. */
export function createNotFoundAnswer(context: AppContext, trust: TrustProxy, line: RequestLine) {
  const readOrigin = createOriginReader(trust)
  const findSchool = async (request: FastifyRequest): Promise<School | undefined> => {
    const { origin } = readOrigin(request)
    try {
      return origin === undefined ? undefined : await context.directory.find(origin)
    } catch {
      // The database cannot be reached, but the answer is 404 in any case.
      return undefined
    }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const forPrograms = PROGRAMS_ONLY.test(rawPath(request.raw.url ?? ''))
    const school = await findSchool(request)
    if (school !== undefined) request.tenant = school.id
    if (!(await line.hasTurn(entrantOf(request, school)))) {
      return answerOverloaded(request, reply, school?.origin)
    }
    if (school?.isSuspended === true) return answerSuspended(request, reply, school)
    if (forPrograms || !wantsHtml(request.headers.accept)) {
      return answerPlainNotFound(request, reply, school?.origin)
    }
    const page = nothingHerePage({
      reference: request.id,
      school: school && brandingOf(school),
      from: { url: '/', label: 'the home page' },
    })
    return reply
      .code(404)
      .headers(pageHeaders(school?.origin ?? 'http://', 'site'))
      .type('text/html; charset=utf-8')
      .send(page)
  }
}
