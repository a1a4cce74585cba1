import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorPage } from '../foundation/html/error-page.tsx'
import { answerNotFound as answerPlainNotFound } from '../foundation/http/last-resort.ts'
import { wantsHtml } from '../foundation/http/negotiate.ts'
import { rawPath } from '../foundation/http/raw-url.ts'
import { pageHeaders } from '../foundation/http/security-headers.ts'

/** Where programs look: a page there would break a client that probes for metadata. */
const PROGRAMS_ONLY = /^\/(\.well-known|api|mcp|member)(\/|$)/

/** JSON for programs, a page for people. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const forPrograms = PROGRAMS_ONLY.test(rawPath(request.raw.url ?? ''))
  if (forPrograms || !wantsHtml(request.headers.accept)) return answerPlainNotFound(request, reply)
  const page = errorPage({
    title: 'There is nothing here',
    what: 'This address leads nowhere: it was mistyped, or what was here has moved.',
    next: (
      <p>
        Check the address, or start from the <a href="/">home page</a>.
      </p>
    ),
    reference: request.id,
  })
  return reply
    .code(404)
    .headers(pageHeaders('http://', 'site'))
    .type('text/html; charset=utf-8')
    .send(page)
}
