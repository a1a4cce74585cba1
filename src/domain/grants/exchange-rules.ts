import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { wrongVerifier } from '../../foundation/protocol/pkce.ts'
import { isWellFormed } from '../../foundation/protocol/token-format.ts'
import { auditInsert, isNotCommon } from '../audit/audit.ts'
import type { GrantFacts, Rulebook, TokenRequest, TokenRequestValues } from './grant-rule.ts'
import {
  applicationHoldsSome,
  clientIsKnown,
  clientIsOn,
  parameterIsSent,
  personAndRoles,
  personHoldsRole,
  requestAndClient,
  resourceIsSent,
  resourceIsThisOrigin,
  secretMatches,
} from './token-request-rules.ts'

export interface ExchangeRequest extends TokenRequest {
  readonly code: string | undefined
  readonly redirectUri: string | undefined
  readonly codeVerifier: string | undefined
}

/** Null if a parameter was not sent, or does not have the format of a code or a verifier. */
export interface ExchangeValues extends TokenRequestValues {
  readonly codeId: string | null
  readonly codeHash: Buffer | null
  readonly redirectUri: string | null
  /** The challenge that the verifier answers. */
  readonly codeChallenge: string | null
  /** The id of the new pair; a code with this id was consumed by this same request. */
  readonly pairId: string
}

export interface ExchangeFacts extends GrantFacts {
  readonly codeId: string | null
}

/** A malformed code, another client's and another school's get the same answer. */
const unknownCode = () =>
  new OAuthError(
    'invalid_grant',
    'The code is not known for this client: it is malformed, was issued to another client or at another origin, or is long gone. Start again at the authorization endpoint.',
  )

/**
 * The rules of a code exchange. Possession is checked before single use: only a client that holds
 * the verifier can trigger the replay defence. `scope` is not read: §4.1.3 defines none, and the
 * consent decided it.
 *
 * @see RFC 6749 §4.1.3
 */
export const EXCHANGE_RULEBOOK: Rulebook<ExchangeRequest, ExchangeValues, ExchangeFacts> = {
  rows: (given) => sql`
    ${requestAndClient(given)}
    -- Only by its id: without "offset 0" PostgreSQL may choose the slower index by client.
    left join (select * from authorization_codes where id = ${given.codeId} offset 0) g on true
    ${personAndRoles}`,
  facts: sql`g.user_id as "userId", g.id as "codeId"`,
  rules: [
    clientIsKnown,
    secretMatches,
    clientIsOn,
    parameterIsSent('code', ({ code }) => code, 'RFC 6749 §4.1.3'),
    parameterIsSent('redirect_uri', ({ redirectUri }) => redirectUri, 'RFC 6749 §4.1.3'),
    parameterIsSent('code_verifier', ({ codeVerifier }) => codeVerifier, 'RFC 7636 §4.5'),
    {
      name: 'the code has the form of ours',
      section: 'RFC 6749 §4.1.3',
      refuse: ({ code }) => (isWellFormed('code', code ?? '') ? undefined : unknownCode()),
      audit: 'client',
    },
    {
      name: 'the code was issued to this client at this school',
      section: 'RFC 6749 §4.1.3',
      holds: ({ codeHash, schoolId, clientId }) => sql`g.hash = ${codeHash}
        and g.school_id = ${schoolId} and g.client_id = ${clientId}`,
      refusal: unknownCode,
      audit: 'client',
    },
    {
      name: 'the redirect URI is the very string of the authorization request',
      section: 'RFC 6749 §4.1.3',
      holds: ({ redirectUri }) => sql`g.redirect_uri = ${redirectUri}`,
      refusal: otherRedirectUri,
      audit: 'client and person',
    },
    {
      name: 'the verifier answers the challenge',
      section: 'RFC 7636 §4.6',
      holds: ({ codeChallenge }) => sql`g.code_challenge = ${codeChallenge}`,
      refusal: ({ codeVerifier }) => wrongVerifier(codeVerifier),
      audit: 'client and person',
    },
    resourceIsSent,
    resourceIsThisOrigin,
    {
      name: 'the code was not used',
      section: 'RFC 6749 §4.1.2',
      holds: ({ pairId }) => sql`g.consumed_at is null or g.pair_id = ${pairId}`,
      refusal: codeReplayed,
      audit: 'client and person',
      alarm: endAuthorizationOfReplayedCode,
    },
    {
      name: 'the code has not expired',
      section: 'RFC 6749 §4.1.2',
      holds: ({ pairId }) => sql`g.expires_at > now() or g.pair_id = ${pairId}`,
      refusal: codeExpired,
      audit: 'client and person',
    },
    applicationHoldsSome,
    personHoldsRole,
  ],
}

function otherRedirectUri(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'redirect_uri must be the very string of the authorization request.',
  )
}

function codeReplayed(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code was used before. If you sent it twice, keep the tokens of the first answer. If it comes again later than ten seconds after its first use, what it gave is revoked, because one of the two uses may not be yours: start again at the authorization endpoint.',
  )
}

function codeExpired(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code has expired: exchange it within five minutes. Start again at the authorization endpoint.',
  )
}

interface ReplayedCode extends GrantFacts {
  readonly codeId: string | null
}

/**
 * Within this time after its exchange a repeat is most likely of the same client: effects that run
 * twice, a reloaded callback.
 */
const REPEAT_SECONDS = 10

/**
 * A code that is presented again with proof of possession, later than a client repeats its own
 * request, ends the authorization that it made, because one of the two senders stole it. This is
 * committed although the request is refused, and is tried again if the connection is lost. An
 * earlier repeat is refused and recorded, and ends nothing.
 *
 * @see RFC 6749 §4.1.2, RFC 9700 §4.5
 */
async function endAuthorizationOfReplayedCode(
  db: SchoolDb,
  { clientId, requestId }: TokenRequest,
  { codeId, userId }: ReplayedCode,
): Promise<void> {
  const end = async () => {
    const audit = auditInsert(
      {
        schoolId: db.schoolId,
        action: 'code.replayed',
        outcome: 'invalid_grant',
        actorUserId: userId ?? undefined,
        clientId,
        authorizationId: sql`(select id from made)`,
        detail: sql`coalesce((select jsonb_build_object('ended', late) from made), '{}')`,
        requestId,
      },
      // Once for each authorization, and once more for its end: a code can be presented again and
      // again for a day.
      sql`where not exists (
        select from audit_entries e
        where e.school_id = ${db.schoolId} and e.action = 'code.replayed' and ${isNotCommon(sql`e.action`)}
          and e.authorization_id = (select id from made) and e.detail -> 'ended' = to_jsonb((select late from made)))`,
    )
    await db.run(sql`
      with made as (
        select a.id, k.consumed_at < now() - make_interval(secs => ${sql.lit(REPEAT_SECONDS)}) as late
        from authorizations a join authorization_codes k on k.id = a.code_id
        where a.code_id = ${codeId} and a.school_id = ${db.schoolId}),
      ended as (
        update authorizations a set revoked_at = now() from made
        where a.id = made.id and made.late and a.revoked_at is null),
      audited as (${audit})
      select 1`)
  }
  await retryLostConnection(end)
}
