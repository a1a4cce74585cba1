import { explain } from './explained.ts'

/** Codes that do not belong to one surface: for example, because the request reached none. */
export const SERVER_ERRORS = {
  unknown_school: explain(
    'The Host header names no school of this server.',
    'Check the address. Every school has one origin, which its owner knows.',
  ),
  not_found: explain(
    'There is nothing with this address or id at this school.',
    'Check the address or the id. An id of another school is answered in the same way.',
  ),
  forbidden: explain(
    'The request is not allowed, whatever credentials it carries: for example, a form from another site, or a role that only owners give.',
    'Read the description; if there is a reason, look it up here.',
  ),
  too_many_requests: explain(
    'More requests came than the limit allows.',
    'Wait for `Retry-After`. The `RateLimit` header shows how much is left, so that you can slow down before.',
  ),
} as const
