import { chapter } from '../chapter.ts'

export const tokenPairs = [
  chapter('oauth', 'Token record', {
    'pair.one-record':
      'Access and refresh token issued together share one record and die together.',
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
      'An expired access token revokes nothing: 200 all the same, and the refresh token goes on minting.',
    'pair.refresh.old-stays-live': 'A refresh adds a new pair and leaves the old one alive.',
    'pair.refresh.first-use-retires-old':
      'The first API call with the new access token is what revokes the old pair.',
    'pair.authorize.adds':
      'Each finished authorization adds a live pair and takes away none of the earlier ones.',
  }),

  chapter('oauth', 'Authentication', {
    'pair.refresh.silent': 'A refresh yields a new access token without any word to the person.',
    'pair.refresh.retry':
      'After a lost refresh response the old refresh token works again, up to the first use of a successor.',
    'pair.devices.independent':
      'Several devices of one member hold separate pairs; signing one out leaves the others.',
    'pair.consent.no-evidence': 'Seeing the consent page again has ended no earlier grant.',
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
      'First use counts at UserInfo, Member API, /mcp and REST, at the own origin of the token.',
    'pair.first-use.despite-scope-refusal':
      'A call that later fails for lack of scope still was the first use.',
    'pair.first-use.not-these': 'A 401, introspection and revocation are not a use.',
    'pair.first-use.retires-ancestors':
      'First use revokes live ancestors, as far back as the nearest one that had itself been used.',
    'pair.first-use.writes-once': 'Later requests with the same token write nothing.',
    'pair.revoke.takes-ancestors':
      'Revoking a pair ends its live ancestors too, so that no parent goes on minting.',
    'pair.revoke.spares-siblings': 'Siblings and children of a revoked pair stay as they were.',
    'pair.concurrent.no-deadlock':
      'Refreshes, first uses and revocations of one authorization may race without an error.',
    'pair.replay.invalid-grant':
      'A revoked refresh token is invalid_grant and leaves an audit entry; other pairs live on.',
    'pair.replay.school-switch':
      'A school can choose that a refresh replay ends the whole authorization; by default it does not.',
    'pair.refresh.idle-expiry': 'A refresh token that was not used for ninety days is dead.',
    'pair.operator.two-hours': 'Access tokens of operators live for two hours as well.',
    'pair.children.capped':
      'Of one parent at most a hundred unused children are kept, the oldest go first.',
    'pair.purge.batches': 'Dead pairs are deleted in bounded batches.',
    'pair.last-used': 'An authorization remembers when it was last used, to within two hours.',
    'pair.unbound.copied-null':
      'A member pair that predates the binding stays unbound through every refresh.',
  }),
] as const
