import { chapter } from '../chapter.ts'

export const mcpAccess = [
  chapter('mcp', 'Tool endpoint', {
    'mcp.anonymous': 'A caller without a token sees and calls the public tools and no others.',
    'mcp.user-bound-token': 'A token that stands for a person is accepted.',
  }),

  chapter('mcp', 'What the service does', {
    'mcp.operator': 'Operator clients are served by /mcp.',
  }),

  chapter('mcp', 'Authentication', {
    'mcp.by-user-id': 'At /mcp the caller is the user whom sub would name.',
    'mcp.member-token': 'A member token with a user works there as it does at the Member API.',
  }),

  chapter('mcp', 'Errors', {
    'mcp.errors.no-token': 'A call without a token is served anonymously and is no error.',
    'mcp.errors.bad-token': 'A bad token at /mcp is 401 invalid_token with a challenge.',
    'mcp.errors.no-owner': 'A token without a resource owner is refused, because it has no user.',
    'mcp.errors.no-verdict':
      'If the server fails while it checks the token, the answer is 503 temporarily_unavailable.',
    'mcp.errors.no-verdict.no-challenge':
      'A 503 at /mcp has no WWW-Authenticate, so clients simply retry.',
  }),

  chapter('mcp', 'product decision', {
    'mcp.bad-token.never-anonymous':
      'A call with a bad token is never served as an anonymous call.',
    'mcp.no-owner.401': 'The refusal of a token without an owner is 401 invalid_token.',
    'mcp.other-origin': 'A token of another origin is 401, naming the origin that was called.',
    'mcp.unlisted': 'Tools that the caller may not use are not listed.',
    'mcp.further':
      'A signed-in caller learns the names and missing scopes of tools that are not listed from the instructions, from the description of the tool that shows what they change, and from the refusal of an unknown name.',
    'mcp.step-up.anonymous': 'Calling an unlisted tool anonymously is 401 with a challenge.',
    'mcp.step-up.signed-in':
      'Calling an unlisted tool with a token that lacks a scope is 403 insufficient_scope.',
    'mcp.step-up.before-stream': 'A tool call is refused before any byte of an answer is sent.',
    'mcp.step-up.all-scopes':
      'The challenge to a tool call names resource_metadata and all the scopes of that call at once.',
    'mcp.step-up.body':
      'The body of that refusal is JSON-RPC: isError, with the challenge under mcp/www_authenticate.',
    'mcp.sign-in.listed': 'Anonymous callers are always offered the tool sign_in.',
    'mcp.sign-in.challenges':
      'Calling sign_in gives the challenge that makes clients offer a login.',
    'mcp.sign-in.described': 'The description of sign_in says that a login is its purpose.',
    'mcp.sign-in.roles':
      'The argument of sign_in, member or operator, decides which identity and read scopes are named.',
    'mcp.sign-in.without-role':
      'Without a role sign_in is a tool error that names both roles, with status 200 and no challenge.',
    'mcp.sign-in.repeated':
      'A call of sign_in with a token that covers some of the role answers who is signed in, although the tool is not listed any more.',
    'mcp.scope-checked-where-run':
      'A tool runs only as the call whose scopes were checked, with any other content of the message.',
  }),
] as const
