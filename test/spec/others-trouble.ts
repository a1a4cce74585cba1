/** Problems that users of other servers reported, and the rule that prevents them here. */
export interface Trouble {
  readonly id: `trouble.${string}`
  /** The report: repository and thread. */
  readonly thread: string
  readonly lesson: string
}

export const othersTrouble = [
  {
    id: 'trouble.lost-refresh-response',
    thread: 'ory/hydra#1831',
    lesson: 'A refresh whose response is lost must not sign the member out.',
  },
  {
    id: 'trouble.parallel-refresh-errors',
    thread: 'ory/hydra#3604',
    lesson: 'Parallel refreshes of one token all succeed; none sees a database conflict.',
  },
  {
    id: 'trouble.check-then-update',
    thread: 'keycloak/keycloak#45647 (CVE-2026-1035)',
    lesson: 'Single use is decided by one conditional write, so racing requests cannot both win.',
  },
  {
    id: 'trouble.refresh-races-revoke',
    thread: 'keycloak/keycloak#51312',
    lesson: 'No pair of a concurrent refresh stays live after its authorization ends.',
  },
  {
    id: 'trouble.two-processes-kill-family',
    thread: 'HQBase/hqbase#41',
    lesson: 'Two processes that refresh within milliseconds of each other both keep working.',
  },
  {
    id: 'trouble.shared-refresh-token',
    thread: 'anthropics/claude-code#91641',
    lesson: 'Parallel sessions of a client may share one stored refresh token for a whole day.',
  },
  {
    id: 'trouble.stale-generation',
    thread: 'exceptionless#2404',
    lesson: 'A client can use an old refresh token as long as no successor was used.',
  },
  {
    id: 'trouble.rows-without-end',
    thread: 'doorkeeper-gem/doorkeeper#1462, ory/hydra#1574',
    lesson: 'Dead pairs, codes and sessions are purged, so tables stop growing.',
  },
  {
    id: 'trouble.purge-misses-kinds',
    thread: 'ory/hydra#3784, ory/hydra#3559',
    lesson: 'The purge deletes every kind of row that can expire.',
  },
  {
    id: 'trouble.update-per-request',
    thread: 'doorkeeper-gem/doorkeeper#1452',
    lesson: 'Using a token a second time writes nothing to the database.',
  },
  {
    id: 'trouble.null-parent',
    thread: 'doorkeeper-gem/doorkeeper#1497',
    lesson: 'First use of a pair that has no parent revokes no pair at all.',
  },
  {
    id: 'trouble.refresh-lock',
    thread: 'doorkeeper-gem/doorkeeper#1789',
    lesson: 'Refreshes do not wait for one another behind a row lock.',
  },
  {
    id: 'trouble.old-token-unexplained',
    thread: 'doorkeeper-gem/doorkeeper#1787',
    lesson: 'The documentation explains why an old token still works, and until when.',
  },
  {
    id: 'trouble.one-huge-delete',
    thread: 'keycloak/keycloak#46954, #20073',
    lesson: 'Old audit rows are deleted in small batches, never in a single statement.',
  },
  {
    id: 'trouble.loads-every-tenant',
    thread: 'keycloak/keycloak#31956, #20453, #17455',
    lesson: 'No request costs more when there are more schools.',
  },
  {
    id: 'trouble.new-key-signs-at-once',
    thread: 'dexidp/dex#2759, ory/hydra#2535',
    lesson: 'A new key must not sign before cached key sets can contain it.',
  },
  {
    id: 'trouble.key-vanishes-under-cache',
    thread: 'zitadel/zitadel#7714',
    lesson: 'The JWKS is never empty, and a key stays listed as long as its tokens may be checked.',
  },
  {
    id: 'trouble.no-way-in-for-agents',
    thread: 'zitadel/zitadel#9810, keycloak/keycloak#50242, pocket-id#1525',
    lesson: 'A tool client can connect with a metadata document, without being registered by hand.',
  },
  {
    id: 'trouble.registrations-pile-up',
    thread: 'samanhappy/mcphub#1174, lion-reader#975',
    lesson: 'Registering adds no row, however often it is called.',
  },
  {
    id: 'trouble.row-cap-locks-out',
    thread: 'vault-cortex#483',
    lesson: 'A client that registers without end cannot lock out other clients.',
  },
  {
    id: 'trouble.document-fetch-ssrf',
    thread: 'oauth-wg client-id-metadata-document #43 and #49, keycloak/keycloak#50918',
    lesson: 'A client document cannot make the server connect to internal addresses.',
  },
  {
    id: 'trouble.dns-rebinding',
    thread: 'cocoon#138',
    lesson:
      'A name that resolves to another address the second time does not change the connection.',
  },
  {
    id: 'trouble.own-host-blocked',
    thread: 'backstage/backstage#33951',
    lesson: 'The address check accepts the documents that the demo world permits.',
  },
  {
    id: 'trouble.issuer-slash',
    thread: 'modelcontextprotocol/python-sdk#1919, opencode#50036, copilot-cli#4606',
    lesson: 'Strict clients find one issuer string everywhere, without a stray slash or path.',
  },
  {
    id: 'trouble.issuer-follows-host',
    thread: 'cloudflare/workers-oauth-provider#141, llm-gateway#2924',
    lesson: 'The issuer belongs to the school, whatever Host or proxy header a request carries.',
  },
  {
    id: 'trouble.public-client-skips-consent',
    thread: 'doorkeeper-gem/doorkeeper#1646',
    lesson: 'Public clients get the consent page like all others.',
  },
  {
    id: 'trouble.prompt-none-redirects',
    thread: 'doorkeeper-gem/doorkeeper-openid_connect#61',
    lesson: 'prompt=none does not redirect to an unregistered address.',
  },
  {
    id: 'trouble.prompt-none-and-consent',
    thread: 'ory/network#317',
    lesson: 'prompt=none has a defined answer for a signed-in person: consent_required.',
  },
  {
    id: 'trouble.content-type-500',
    thread: 'cloudflare/workers-oauth-provider changelog 0.7 to 0.10',
    lesson: 'A malformed Content-Type is an error of the client: 4xx.',
  },
  {
    id: 'trouble.code-burnt-early',
    thread: 'cloudflare/workers-oauth-provider changelog 0.7 to 0.10',
    lesson: 'A wrong resource, verifier or redirect URI leaves the code usable.',
  },
  {
    id: 'trouble.any-client-revokes',
    thread: 'cloudflare/workers-oauth-provider changelog 0.7 to 0.10',
    lesson: 'Knowing a token is not enough to revoke it under another client.',
  },
  {
    id: 'trouble.code-checked-late',
    thread: 'cloudflare/workers-oauth-provider changelog 0.7 to 0.10',
    lesson: 'A forged code that names a real authorization changes nothing about it.',
  },
  {
    id: 'trouble.basic-parsing',
    thread: 'cloudflare/workers-oauth-provider changelog 0.7 to 0.10',
    lesson: 'Malformed Authorization headers at the token endpoint are refused with a 4xx.',
  },
  {
    id: 'trouble.refresh-near-expiry',
    thread: 'cloudflare/workers-oauth-provider changelog 0.7 to 0.10',
    lesson: 'A refresh in the last second of a lifetime either works or is invalid_grant.',
  },
] as const satisfies readonly Trouble[]

export type TroubleId = (typeof othersTrouble)[number]['id']
