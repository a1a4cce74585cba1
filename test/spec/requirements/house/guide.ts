import { chapter } from '../chapter.ts'

/** What integrators must do themselves; the page /docs says so. */
export const guide = [
  chapter('house', 'What the service does', {
    'guide.flow-order':
      'The guide explains discovery, choice of method, registration, use, errors and revocation in this order.',
    'guide.discover-first': 'The guide says to read the metadata and not to wait for a challenge.',
    'guide.operator-tool':
      'The guide leads an operator with a tool of their own from the origin to REST and tool calls, in both variants.',
    'guide.commands':
      'The commands of the guide run as they are, from the authorization to sign-out, with only the code pasted between them.',
    'guide.roads':
      'The guide has a road for members and one for operators: two blocks to copy lead to answers of the API and of a tool, whose samples are true.',
    'guide.agent-auth':
      'The guide says that no program gets a token without a person: no service accounts, no foreign proof of identity, no approval afterwards.',
  }),

  chapter('house', 'Client ID Metadata Documents', {
    'guide.documents.check-first':
      'The guide says to check client_id_metadata_document_supported before a URL is used as client_id.',
  }),

  chapter('house', 'Authorization request', {
    'guide.state': 'The guide says to send a random state each time and to compare it.',
    'guide.nonce':
      'A client that verifies ID tokens reads in the guide that it needs a fresh random nonce, and what to compare.',
  }),

  chapter('house', 'States and transitions', {
    'guide.meetings.canceled':
      'The guide says that canceled meetings are in the list, and how to filter them out.',
  }),

  chapter('house', 'Member API', {
    'guide.meetings.next':
      'The guide says to take the next meeting with last: 1 of those that have not ended.',
  }),

  chapter('house', 'Authentication', {
    'guide.store-resource':
      'The guide says to keep the resource with the token and compare it before calling an origin.',
    'guide.verify-id-token':
      'The guide lists what to verify in an ID token, and when to use UserInfo.',
    'guide.sign-out': 'The guide says that a session is ended by revoking the refresh token.',
    'guide.sign-out.each-device':
      'The guide says that signing out is done per device, by the client.',
    'guide.end-session':
      'The guide says how a client ends the session of the browser, and where it cannot.',
    'guide.lost-refresh':
      'The guide says that a lost refresh response may be retried, and until when.',
    'guide.narrowed': 'The guide says to read scope in every answer of a refresh, and why.',
  }),

  chapter('house', 'Errors', {
    'guide.match-errors-array':
      'The guide tells Member API clients to look into errors and not at the status alone.',
  }),

  chapter('house', 'product decision', {
    'errors.catalogue':
      'Every code of OAuth, GraphQL, REST and tools is explained once, with cause and remedy, at /docs/errors under its name.',
    'errors.linked':
      'Every refusal links to the explanation of its code at the origin that was called: error_uri, type of a problem, extensions.docs, data.docs, or the text of a tool.',
  }),

  chapter('house', 'product decision', {
    'machines.auth':
      '/auth.md says how a program discovers, chooses, registers, uses, handles errors and revokes at this origin, and what is not supported.',
    'machines.llms': '/llms.txt lists the guides and interfaces of this origin.',
    'machines.markdown':
      'The guides are Markdown at /docs.md and /docs/errors.md, and at their pages for those who prefer it.',
    'machines.api-catalog': '/.well-known/api-catalog is an RFC 9727 linkset of this origin.',
    'machines.server-card':
      'Each name of the tool endpoint has a server card, found by /.well-known/ai-catalog.json.',
    'machines.schema': 'The schema of the Member API is public, as language and as JSON.',
    'machines.postman': 'A Postman collection has every operation of the REST API.',
    'machines.postman-signs-in':
      'With the tool or the application that its description asks for, the Postman collection gets and refreshes a token.',
    'machines.security':
      'Once a contact is configured, every origin has a security.txt that never expires while the server runs.',
    'machines.links':
      'The home page and every refusal link to the guide and the description of the API; a 404 for programs names the guide.',
    'machines.mcp-page': 'The tool endpoint is a page in a browser, and unchanged for its clients.',
    'machines.cached':
      'Documents for machines are prepared once for each school, and cost no statement.',
    'machines.one-school':
      'Documents for machines tell nothing of other schools, and do not exist at unknown hosts.',
    'machines.variant': 'Documents for machines are true for the variant of their origin.',
  }),

  chapter('house', 'Deployment variants', {
    'guide.older-rules':
      'On older origins the guide states their rules: revocation without a secret, introspection, 403 for a missing scope, fewer fields.',
  }),

  chapter('house', 'product decision', {
    'guide.explorer': 'The guide leads to the explorer only while the school has it switched on.',
    'guide.without-id-tokens':
      'The guide of an origin without ID tokens tells clients to leave openid out, and its examples do.',
    'guide.graphql-clients':
      'The guide says what urql and Apollo need: POST, and that no persisted queries are kept.',
  }),

  chapter('house', 'Payment node', {
    'guide.billing-history':
      'The guide builds the billing history from payments and shows open instructions.',
    'guide.not-my-bookings':
      'The guide warns against showing the meetings of a service as bookings of the viewer.',
  }),

  chapter('house', 'product decision', {
    'guide.assistants':
      'The guide gives /mcp/member to assistants of members and /mcp to those of operators, with their scopes.',
  }),
] as const
