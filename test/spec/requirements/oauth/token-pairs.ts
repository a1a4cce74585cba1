import { chapter } from '../chapter.ts'

export const tokenPairs = [
  chapter('oauth', 'Token record', {
    'pair.one-record': 'The access and refresh token of a pair share one record and end together.',
  }),

  chapter('oauth', 'Limits', {
    'pair.access.two-hours': 'Access tokens of members live for two hours.',
    'id-token.ten-minutes': 'ID tokens live for ten minutes.',
  }),

  chapter('oauth', 'States and transitions', {
    'pair.revoke.by-refresh-token':
      'Revoking with the refresh token ends access and refresh token alike and answers 200.',
    'pair.revoke.by-live-access-token':
      'An access token that has not expired revokes both halves of its pair, answered with 200.',
    'pair.revoke.by-expired-access-token':
      'An expired access token revokes nothing: the answer is still 200, and the refresh token keeps working.',
    'pair.refresh.old-stays-live': 'A refresh adds a new pair and leaves the old one alive.',
    'pair.refresh.first-use-retires-old':
      'The first API call with the new access token is what revokes the old pair.',
    'pair.authorize.adds': 'Each authorization adds a live pair and ends none of the earlier ones.',
  }),

  chapter('oauth', 'Authentication', {
    'pair.revoke.access-expired':
      'The refresh token ends its pair also after the access token has expired.',
    'pair.refresh.silent': 'A refresh gives a new access token without asking the person.',
    'pair.refresh.retry':
      'After a lost refresh response the old refresh token works again, up to the first use of a successor.',
    'pair.devices.independent':
      'Several devices of one member hold separate pairs; signing one out leaves the others.',
    'pair.consent.no-evidence': 'A repeated consent page has ended no earlier grant.',
  }),

  chapter('oauth', 'product decision', {
    'pair.live.both-rows': 'A pair is live only while neither it nor its authorization is revoked.',
    'pair.end-authorization.at-once':
      'Ending an authorization stops all its pairs at once, refreshes in flight included.',
    'pair.person-deleted.ends-tokens': 'Deleting a person ends the authorizations they gave.',
    'pair.token.format':
      'A token is a fixed prefix, the encoded pair id with 32 random bytes, and a checksum.',
    'pair.token.hashed':
      'The database holds only SHA-256 hashes of tokens, compared in constant time.',
    'pair.refresh.siblings':
      'Retries with one refresh token give siblings that do not revoke each other.',
    'pair.first-use.where':
      'First use counts at UserInfo, Member API, /mcp and REST of the bound origin.',
    'pair.first-use.despite-scope-refusal':
      'A call that is refused for a missing scope still counts as first use.',
    'pair.first-use.not-these': 'A 401, introspection and revocation are not a use.',
    'pair.first-use.retires-ancestors':
      'First use revokes live ancestors, as far back as the nearest one that had itself been used.',
    'pair.first-use.writes-once': 'Later requests with the same token write nothing.',
    'pair.revoke.takes-ancestors':
      'Revoking a pair ends its live ancestors too, so that no parent can be refreshed.',
    'pair.revoke.spares-siblings': 'Siblings and children of a revoked pair stay as they were.',
    'pair.concurrent.no-deadlock':
      'Simultaneous refreshes, first uses and revocations of one authorization cause no error.',
    'pair.replay.invalid-grant':
      'A revoked refresh token is invalid_grant with an audit entry; other pairs stay live.',
    'pair.replay.school-switch':
      'A school can choose that a refresh replay ends the whole authorization; by default it does not.',
    'pair.refresh.idle-expiry': 'A refresh token expires after ninety days without use.',
    'pair.operator.two-hours': 'Access tokens of operators live for two hours as well.',
    'pair.children.capped':
      'A parent has at most a hundred unused children; the oldest are ended first.',
    'pair.purge.batches': 'Dead pairs are deleted in bounded batches.',
    'pair.purge.age':
      'A pair is looked at a few times in its life, so the purge costs what was issued and not what lives.',
    'pair.last-used': 'An authorization remembers when it was last used, to within two hours.',
    'pair.unbound.copied-null':
      'A member pair from before the binding stays unbound through every refresh.',
  }),
] as const
