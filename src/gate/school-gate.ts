import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { School } from '../domain/schools/school.ts'
import type { EmptyInstallation } from '../domain/setup/first-school.ts'
import { worksFor } from '../foundation/concurrency/usage-meter.ts'
import type { Db } from '../foundation/db/database.ts'
import { waitingOf } from '../foundation/db/lanes.ts'
import { atSchool, type SchoolDb } from '../foundation/db/school-db.ts'
import { CROWDED } from '../foundation/db/time-outs.ts'
import { type ErrorCode, errorAddress } from '../foundation/errors/catalogue.ts'
import { errorCataloguePage } from '../foundation/html/error-catalogue.tsx'
import { unavailablePage, unknownSchoolPage } from '../foundation/html/error-page.tsx'
import type { TrustProxy } from '../foundation/http/client-address.ts'
import {
  type ConstantDocument,
  constantDocument,
  type DocumentOptions,
  textDocument,
  wantsHtml,
} from '../foundation/http/conditional.ts'
import { findCookie, sessionCookieName } from '../foundation/http/cookies.ts'
import { createOriginReader } from '../foundation/http/origin.ts'
import { rawPath } from '../foundation/http/request-body.ts'
import { type Entrant, type LineSettings, RequestLine } from '../foundation/http/request-line.ts'
import { apiHeaders, pageHeaders } from '../foundation/http/security-headers.ts'
import { whenGone } from '../foundation/http/shutdown.ts'
import { DOCUMENTS } from '../foundation/protocol/endpoints.ts'
import { errorBody } from '../foundation/protocol/errors.ts'
import { oneLine } from '../foundation/text/visible-text.ts'
import type { AppContext } from './context.ts'
import { answerOverloaded, answerSuspended, toOAuthError } from './refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The school of the request's origin. */
    school: School
    /** The rows of that school, as the class of work that the caller has proved so far. */
    schoolDb: SchoolDb
  }
}

/**
 * Finds the school of every request in this scope before any other hook runs, and lets the request
 * wait if there are more than can be answered. The Host header only selects the school; every URL
 * in an answer is built from the stored origin.
 */
export function enterSchool(
  scope: FastifyInstance,
  context: AppContext,
  installation: EmptyInstallation,
  trust: TrustProxy,
  line: RequestLine,
): void {
  const readOrigin = createOriginReader(trust)
  scope.decorateRequest('school')
  scope.decorateRequest('at')
  scope.decorateRequest('callerReadAt')

  scope.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { origin, problem } = readOrigin(request)
    if (origin === undefined) {
      answerNoSchool(request, reply, 400, problem)
      return
    }
    const enter = (school: School | undefined): void => {
      // A caller who is gone waits for nothing.
      if (reply.raw.destroyed) return
      if (school === undefined) {
        answerUnknownHost(installation, origin, request, reply).catch((error) =>
          answerNoVerdict(error, request, reply),
        )
        return
      }
      worksFor(school.id)
      request.outcome.school = school.subdomain
      if (school.isSuspended) {
        answerSuspended(request, reply, school)
        return
      }
      request.school = school
      // A stranger's until a credential proves something else.
      request.schoolDb = atSchool(context.db, school.id, {
        lane: 'stranger',
        gone: () => whenGone(reply.raw),
      })
      done()
    }
    const wait = (school: School | undefined): void => {
      // A request that is refused counts, too.
      if (school !== undefined) request.tenant = school.id
      line.enter(
        entrantOf(request, school),
        () => enter(school),
        () => answerOverloaded(request, reply, school?.origin),
      )
    }
    const found = context.directory.find(origin)
    if (found instanceof Promise) {
      found.then(wait, (error) => answerNoVerdict(error, request, reply)).catch(done)
    } else {
      wait(found)
    }
  })
}

/** 404, or the way to the first-run page while this installation has no school at all. */
async function answerUnknownHost(
  installation: EmptyInstallation,
  origin: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (!(await installation.isEmpty())) {
    answerNoSchool(request, reply, 404, `There is no school at ${origin}. Check the address.`)
  } else if (request.method === 'GET' && wantsHtml(request.headers.accept)) {
    reply.headers(pageHeaders(origin, 'site')).redirect('/setup', 303)
  } else {
    const next = 'Open /setup in a browser to make the first one.'
    answerNoSchool(request, reply, 404, `There is no school on this server yet. ${next}`)
  }
}

/** The schools could not be read, so the origin may well exist: not 404. */
function answerNoVerdict(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toOAuthError(error, request)
  request.outcome.result = refusal.code
  reply.code(refusal.status).headers(apiHeaders('no-store'))
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter)
  if (wantsHtml(request.headers.accept)) {
    const page = unavailablePage({ reference: request.id })
    reply.headers(pageHeaders('http://', 'site')).type('text/html; charset=utf-8').send(page)
    return
  }
  reply.type('application/json').send(JSON.stringify(errorBody(refusal)))
}

const UNKNOWN_SCHOOL: ErrorCode = 'unknown_school'

/** Answers here and not in the format of a surface: without a school there is no surface. */
function answerNoSchool(
  request: FastifyRequest,
  reply: FastifyReply,
  status: 400 | 404,
  description: string,
): void {
  request.outcome.result = UNKNOWN_SCHOOL
  reply.code(status).header('cache-control', 'no-store')
  if (wantsHtml(request.headers.accept)) {
    const page =
      rawPath(request.raw.url ?? '') === DOCUMENTS.errors
        ? errorCataloguePage()
        : unknownSchoolPage({
            reference: request.id,
            host: oneLine(request.headers.host ?? '', 253),
          })
    reply.headers(pageHeaders('http://', 'site')).type('text/html; charset=utf-8').send(page)
    return
  }
  reply.type('application/json').send(
    JSON.stringify({
      error: UNKNOWN_SCHOOL,
      error_description: description,
      error_uri: errorAddress(undefined, UNKNOWN_SCHOOL),
    }),
  )
}

/** The line in which requests wait while the connections of their school and class are crowded. */
export function createRequestLine(db: Db, settings?: Partial<LineSettings>): RequestLine {
  return new RequestLine({
    isCrowded: ({ school, isStranger }) =>
      waitingOf(db, { lane: isStranger ? 'stranger' : 'interactive', tenant: school }) >= CROWDED,
    ...settings,
  })
}

/** A made-up credential chooses the other line, and gains nothing there. */
export function entrantOf({ headers }: FastifyRequest, school: School | undefined): Entrant {
  if (school === undefined) return { school: '', isStranger: true }
  const hasCredential =
    headers.authorization !== undefined ||
    (headers.cookie !== undefined &&
      findCookie(headers.cookie, sessionCookieName(school.origin)) !== undefined)
  return { school: school.id, isStranger: !hasCredential }
}

/**
 * A document of each school, written once per school object: the directory replaces a school that
 * changed. A string is sent as it is, anything else as JSON.
 */
export function perSchool(
  options: DocumentOptions,
  write: (school: School) => string | object,
): (school: School) => ConstantDocument {
  const written = new WeakMap<School, ConstantDocument>()
  return (school) => {
    const known = written.get(school)
    if (known !== undefined) return known
    const value = write(school)
    const document =
      typeof value === 'string' ? textDocument(value, options) : constantDocument(value, options)
    written.set(school, document)
    return document
  }
}
