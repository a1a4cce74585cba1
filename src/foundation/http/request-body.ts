import type { FastifyInstance } from 'fastify'

/**
 * Makes a scope take `application/x-www-form-urlencoded`. `parse` gets the text as it was sent and
 * its result becomes `request.body`; what it throws is answered by the scope's error handler. All
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
 * Makes a scope take JSON. Objects with a `__proto__` or a `constructor.prototype` are refused like
 * text that is not JSON, before they can reach anything that merges objects.
 */
export function acceptJson(scope: FastifyInstance, bodyBytes?: number): void {
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', ...(bodyBytes === undefined ? {} : { bodyLimit: bodyBytes }) },
    scope.getDefaultJsonParser('error', 'error'),
  )
}
