import { chapter } from '../chapter.ts'

/** What integrators must do themselves: our part is to tell them, on the page /docs. */
export const guide = [
  chapter('house', 'What the service does', {
    'guide.flow-order':
      'The guide walks through discovery, choice of method, registration, use, errors and revocation.',
    'guide.discover-first': 'It says to read the metadata and not to wait for a challenge.',
    'guide.agent-auth': 'It says that agent-auth extensions are not offered.',
  }),

  chapter('house', 'Authentication', {
    'guide.store-resource':
      'It says to keep the resource with the token and compare it before calling an origin.',
    'guide.verify-id-token': 'It lists what to verify in an ID token, and when to use UserInfo.',
    'guide.sign-out': 'It says that a session is ended by revoking the refresh token.',
    'guide.sign-out.each-device': 'It says that signing out is done per device, by the client.',
    'guide.lost-refresh': 'It says that a lost refresh response may be retried, and until when.',
  }),

  chapter('house', 'Errors', {
    'guide.match-errors-array':
      'It tells Member API clients to look into errors and not at the status alone.',
  }),

  chapter('house', 'Payment node', {
    'guide.billing-history':
      'It builds the billing history from payments and shows open instructions.',
    'guide.not-my-bookings':
      'It warns against showing the meetings of a service as the bookings of the viewer.',
  }),
] as const
