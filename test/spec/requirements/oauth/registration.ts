import { chapter } from '../chapter.ts'

export const registration = [
  chapter('oauth', 'Client registration', {
    'register.allowlist.match':
      'Registration finds the client_name among the known platforms and returns the stored client_id.',
    'register.unknown.refused':
      'A client_name that is not on the list gets invalid_client_metadata.',
    'register.unknown.whatever-body':
      'No other member of the body can turn the refusal of an unknown name into a registration.',
    'register.operator-audience': 'Registered platforms obtain tokens for the operator audience.',
    'register.account-read.reserved':
      'A registered platform that asks for account:read is refused with invalid_scope.',
  }),

  chapter('oauth', 'product decision', {
    'register.unknown.known-names':
      'The refusal of an unknown name lists the known names, as they are at that moment.',
    'register.json-or-form': 'The registration body may be JSON or a form.',
    'register.name.exact': 'Platform names are compared exactly, letter case included.',
    'register.same-id-each-time': 'Registering the same platform again gives the same client_id.',
    'register.answer.members':
      'A 201 answer names client_id, client_name, redirect_uris, grant and response types, auth method none and scope.',
    'register.body.changes-nothing':
      'redirect_uris, scope or an auth method in the request leave the stored platform as it is.',
    'register.malformed': 'An unreadable registration body is 400 invalid_client_metadata.',
    'platform.list.fills-missing':
      'At start and at migrate a shipped, versioned list adds missing platforms and updates its own older rows.',
    'platform.list.keeps-changes':
      'The shipped list never overwrites a platform that the administrator added, changed or disabled.',
    'platform.commands':
      'The administrator lists, adds, corrects, disables and enables platforms; wrong values, deceptive names and names that differ from another only in letter case are refused and change nothing.',
    'platform.disabled.everywhere':
      'At every school a disabled platform cannot register or be authorized, and its tokens are refused until it is enabled.',
    'register.rate-limited':
      'Too many registrations from one address are answered 429 with Retry-After.',
  }),
] as const
