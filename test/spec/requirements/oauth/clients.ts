import { chapter } from '../chapter.ts'

export const clients = [
  chapter('oauth', 'Client (OAuth application)', {
    'client.id.identifies': 'A client is known to every endpoint by its client_id.',
    'client.id.document-url':
      'The client_id of a metadata-document client is the HTTPS address of its document.',
    'client.public.no-secret':
      'A public application has no secret and uses the token endpoint with method none and PKCE.',
    'client.confidential.secret-issued':
      'Making an application confidential issues a secret for it.',
    'client.confidential.post-at-token':
      'A confidential application must put its secret into the form body at the token endpoint.',
    'client.confidential.post-at-revoke':
      'Revocation also needs the form-body secret of a confidential application.',
    'client.confidential.none-refused':
      'A confidential application that uses method none, without its secret, is refused.',
    'client.scopes.chosen-at-creation':
      'An application can be granted only scopes that its creator picked for it.',
    'client.member.any-role':
      'A person with any role at the school, a student too, may authorize its member applications.',
    'client.member.no-self-registration':
      'Member clients cannot be registered through the protocol; only the admin area makes them.',
  }),

  chapter('oauth', 'product decision', {
    'client.admin-made.member-scopes-only':
      'An application that was made by hand holds member and identity scopes and nothing else.',
    'client.keyed-by-school': 'The same client_id at two schools names two independent clients.',
    'client.foreign-school.unknown': 'A client of one school is unknown at the origin of another.',
    'client.installation-wide.local-row':
      'Vendor platforms and fetched documents get a row of the school at their first authorization there.',
    'client.disable.per-school':
      'Disabling or reviewing an installation-wide client at one school does not affect other schools.',
    'client.switched-off.told':
      'A client that is switched off hears so and who can switch it on again, at every endpoint and on the page of the authorization endpoint; a wrong secret hears what it hears of an unknown client.',
    'client.basic-refused': 'No endpoint accepts client credentials by HTTP Basic.',
    'client.secret.wrong': 'A wrong or missing secret at the token endpoint is 401 invalid_client.',
    'client.secret.hashed': 'Client secrets are stored only as hashes.',
    'client.secret.renewed':
      'After a renewal the old and the new secret are both accepted at every endpoint for 24 hours.',
    'client.secret.old-ended': 'An operator can end the old secret before its 24 hours are over.',
    'client.secret.two-at-most':
      'At most two secrets of a client are accepted; another renewal ends the oldest at once.',
    'client.secret.audit-says-which':
      'After a renewal, audit entries of tokens say which of the two secrets was sent.',
    'client.operator.who-may-authorize':
      'Only people who own or administer the school can authorize an operator client.',
    'client.operator.others-told':
      'Anyone without such a role is told so on the consent page and can go back with access_denied.',
    'client.operator.demotion':
      'A person who is no longer owner or admin loses their operator authorizations for good, each with an audit entry.',
    'client.deleted.ends-tokens': 'Deleting a client ends every authorization that people gave it.',
    'client.end-access':
      'An operator can end every authorization of a client at once; the client itself stays.',
    'client.ended-while-allowing':
      'An Allow pressed before a demotion, a switch-off, an end of access or an end of the session gives no code, however long the metadata takes.',
    'client.review.withdrawn':
      'A document client whose review is withdrawn keeps only identity and read scopes.',
  }),
] as const
