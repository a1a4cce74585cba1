import { explain } from './explained.ts'

/**
 * Every `error.code` of the tool endpoint: JSON-RPC's where it has one, else the HTTP status, which lies outside
 * the range that JSON-RPC keeps for itself.
 */
export const RPC_ERRORS = {
  '-32700': explain('The body is not JSON.', 'Send one JSON-RPC message as JSON.'),
  '-32600': explain(
    'The body is JSON, but not one JSON-RPC message, or one with names or parts that are too long or too many.',
    'Send one message per request; batches are not accepted.',
  ),
  '-32601': explain(
    'There is no such method in this revision of the protocol, or it is not offered here.',
    'Call server/discover or initialize to see what is offered.',
  ),
  '-32602': explain(
    'The parameters do not fit the method, or no tool has this name.',
    'Call tools/list and use a name and arguments from there.',
  ),
  '-32603': explain(
    'Something failed on the side of the server.',
    'Try again in a moment. If it keeps failing, report the request id.',
  ),
  '-32000': explain(
    'The `Mcp-Protocol-Version` header names a revision of the protocol that is not spoken here.',
    'Send one of the revisions that the message lists, or leave the header out.',
  ),
  '-32020': explain(
    'A header of the message, such as `Mcp-Name`, says something else than its body.',
    'Send headers that agree with the body.',
  ),
  '-32022': explain(
    'The message names a revision of the protocol that is not spoken here.',
    'Use one of the revisions that the error lists.',
  ),
  '403': explain('The Origin header names no origin.', 'Leave it out, or send a real one.'),
  '405': explain(
    'The endpoint takes POST only; there is no stream and no session to end.',
    'Send every message by POST.',
  ),
  '406': explain('The answers are JSON.', 'Send `Accept:` `application/json`.'),
  '408': explain('The body did not arrive in time.', 'Send the message again.'),
  '413': explain('The message is too large.', 'Send less at once.'),
  '414': explain('The address is too long.', 'Send messages to /mcp or /mcp/member.'),
  '415': explain(
    'The message has the wrong type or a `Content-Encoding`.',
    'Send `Content-Type:` `application/json`, uncompressed.',
  ),
  '429': explain(
    'More messages came than the limit allows.',
    'Wait for `Retry-After`, and keep your token.',
  ),
} as const

export type RpcCode = keyof typeof RPC_ERRORS
