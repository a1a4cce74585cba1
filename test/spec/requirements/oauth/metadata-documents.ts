import { chapter } from '../chapter.ts'

export const metadataDocuments = [
  chapter('oauth', 'Client ID Metadata Documents', {
    'cimd.url-as-client-id':
      'A client that publishes a document over HTTPS can use its URL as client_id at once.',
    'cimd.advertised':
      'client_id_metadata_document_supported in the discovery documents says whether this origin takes them.',
    'cimd.host.allowlisted': 'A document resolves when its host is on the list of permitted hosts.',
    'cimd.host.open-registration': 'With open registration, any host is permitted.',
    'cimd.host.refused': 'Documents of all remaining hosts are refused, without fetching them.',
    'cimd.redirect-uris.host-or-loopback':
      'Each redirect URI in the document has the host of the document or is a loopback address.',
  }),

  chapter('oauth', 'Limits', {
    'cimd.unreviewed.scopes':
      'An unreviewed metadata-document client gets only identity and read scopes.',
  }),

  chapter('oauth', 'product decision', {
    'cimd.https-only': 'A document address must be https and have a path.',
    'cimd.http-loopback-demo':
      'Plain http is accepted only for loopback addresses, in the demo world on a loopback listener.',
    'cimd.client-id.equals-url': 'The document must name its own URL as client_id, byte for byte.',
    'cimd.redirect-uris.required': 'A document without redirect_uris is refused.',
    'cimd.redirect-uris.one-bad-refuses-all':
      'One redirect URI outside the rule makes the whole document unusable.',
    'cimd.name.falls-back-to-host': 'Where client_name is missing, the host is shown instead.',
    'cimd.unknown-members.ignored':
      'Unknown members, auth methods and grants in a document are ignored.',
    'cimd.unreviewed.never-account-read':
      'The read scopes of an unreviewed client do not include account:read.',
    'cimd.unreviewed.no-redirect':
      'A wrong request of an unreviewed client is answered by a page that links to the client and names its host, not by a redirect.',
    'cimd.unreviewed.loopback':
      'A wrong request of an unreviewed client whose document names the loopback redirect URI is answered there.',
    'cimd.review.lifts-limit': 'Once an operator reviewed the client, it may ask for write scopes.',
    'cimd.fetch.size': 'A document larger than 5 KB is refused.',
    'cimd.fetch.timeout': 'A fetch ends after five seconds.',
    'cimd.fetch.no-redirects': 'The fetch follows no redirect.',
    'cimd.fetch.public-addresses':
      'Private, loopback, link-local and mapped addresses are never connected to, in IPv4 or IPv6.',
    'cimd.fetch.pinned':
      'The name is resolved once and the connection goes to that address, so DNS rebinding fails.',
    'cimd.cache.bounds': 'Cache headers of a document are honoured between 5 minutes and 24 hours.',
    'cimd.cache.failures':
      'After a failed fetch a process does not ask again for one minute; the failure is never stored.',
    'cimd.cache.last-good':
      'A failed fetch never replaces the last good copy, which serves for seven days; an accepted document does.',
    'cimd.cache.last-good.ends':
      'When a copy is older than seven days and its host fails, the client is refused on a page that says why.',
    'cimd.fetch.at-authorization-only':
      'Documents are fetched only for authorization requests, so an outage of the host breaks no refresh.',
    'cimd.fetch.rate-limited': 'Document fetches are limited in rate.',
  }),
] as const
