import type { FastifyInstance } from 'fastify'

/**
 * Makes a scope accept `application/x-www-form-urlencoded`. `parse` gets the text exactly as sent and
 * its result becomes `request.body`; the scope's error handler answers the errors it throws. Content
 * types that a scope does not accept are answered 415.
 */
export function acceptForms(
  scope: FastifyInstance,
  parse: (text: string) => unknown,
  bodyBytes: number,
): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bodyBytes },
    (_request, body, done) => done(null, parse(String(body))),
  )
}

/**
 * Makes a scope accept JSON. Objects with a `__proto__` or a `constructor.prototype` are refused like
 * text that is not JSON, before they reach code that merges objects (prototype pollution).
 */
export function acceptJson(scope: FastifyInstance, bodyBytes?: number): void {
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', ...(bodyBytes === undefined ? {} : { bodyLimit: bodyBytes }) },
    scope.getDefaultJsonParser('error', 'error'),
  )
}
