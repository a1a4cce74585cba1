import { createHash, randomBytes, randomInt } from 'node:crypto'
import type pg from 'pg'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { mintToken } from '../../src/foundation/protocol/token-format.ts'
import { idAt, idOf, pairId } from './ids.ts'
import { MEMBER_SCOPES, readersOf } from './seed.ts'
import type { World } from './world.ts'

export const OPERATOR_SCOPES = ['courses:read', 'members:read', 'openid', 'profile']
export const REDIRECT_URI = 'https://app.bench.test/callback'

export interface Holder {
  readonly person: string
  readonly schoolId: string
  readonly host: string
  readonly clientId: 'app' | 'ops'
}

export interface LivePair extends Holder {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Members of the schools that get requests, in turn. */
export function members({ size, asked }: World, count: number): readonly Holder[] {
  const { schools, people } = size
  return Array.from({ length: count }, (_, i) => {
    const school = (i % asked) + 1
    const person = school + schools * (1 + (Math.floor(i / asked) % (people / schools - 1)))
    return holder(school, person, 'app')
  })
}

/** Members of the schools of the older variant, the only ones with introspection. */
export function membersOfOlderSchools(world: World, count: number): readonly Holder[] {
  const { schools } = world.size
  return Array.from({ length: count }, (_, i) => {
    const school = (i % (world.asked / 10)) * 10 + 2
    return holder(school, school + schools, 'app')
  })
}

export function owners(world: World, count: number): readonly Holder[] {
  return Array.from({ length: count }, (_, i) => {
    const school = (i % world.asked) + 1
    return holder(school, school, 'ops')
  })
}

/** Members who are enrolled in the course of 500 lectures. */
export function readers(world: World): readonly Holder[] {
  return Array.from({ length: readersOf(world.size) }, (_, i) =>
    holder(i + 1, world.size.people + i + 1, 'app'),
  )
}

function holder(school: number, person: number, clientId: Holder['clientId']): Holder {
  return {
    person: idOf('person', person),
    schoolId: idOf('school', school),
    host: `s${school}.bench.test`,
    clientId,
  }
}

const digits = () => randomBytes(8).toString('hex').slice(1)

/** Spread over the seeded pairs, so that every lookup reads another index page. */
const idAmongSeeded = ({ size }: World) => pairId(1 + randomInt(size.tokenPairs), digits())

const DAY_MS = 86_400_000
const ACCESS_TOKEN_MS = 2 * 3_600_000

/**
 * Of a client in use, which refreshes when its access token expires. Only the first of a day leaves
 * an audit entry.
 */
export const REFRESHES_A_DAY = DAY_MS / ACCESS_TOKEN_MS

/**
 * The ids of pairs that are refreshed over a day: the first is of an earlier day, the others are of
 * the last hours.
 */
export function idInDay(world: World, place: number): string {
  if (place % REFRESHES_A_DAY === 0) return idAmongSeeded(world)
  const now = Date.now()
  const from = Math.max(now - ACCESS_TOKEN_MS, now - (now % DAY_MS))
  return idAt(from + randomInt(now - from + 1), digits())
}

/**
 * One pair per holder, already used once: the write at a token's first use is not part of a usual
 * request.
 */
export async function mintPairs(
  world: World,
  holders: readonly Holder[],
  makeId: (world: World, place: number) => string = idAmongSeeded,
): Promise<readonly LivePair[]> {
  const pairs = holders.map((holder, place) => {
    const id = makeId(world, place)
    return {
      ...holder,
      id,
      access: mintToken('access', id),
      refresh: mintToken('refresh', id),
    }
  })
  const member = holders[0]?.clientId === 'app'
  await world.pool.query(
    `with given as (
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::bytea[], $6::text[])
         as g (id, school_id, user_id, access_hash, refresh_hash, host)),
     opened as (
       insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource)
       select id, school_id, $7, user_id, $8, $9, 'http://' || host from given)
     insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
       access_expires_at, refresh_expires_at, first_used_at)
     select id, id, case when $8 = 'member' then school_id end, $9, access_hash, refresh_hash,
       now() + interval '2 hours', now() + interval '90 days', now() from given`,
    [
      pairs.map(({ id }) => id),
      pairs.map(({ schoolId }) => schoolId),
      pairs.map(({ person }) => person),
      pairs.map(({ access }) => access.hash),
      pairs.map(({ refresh }) => refresh.hash),
      pairs.map(({ host }) => host),
      member ? 'app' : 'ops',
      member ? 'member' : 'operator',
      member ? MEMBER_SCOPES : OPERATOR_SCOPES,
    ],
  )
  return pairs.map(({ access, refresh, ...pair }) => ({
    ...pair,
    accessToken: access.value,
    refreshToken: refresh.value,
  }))
}

export interface FreshCode extends Holder {
  readonly code: string
}

export const CODE_VERIFIER = randomBytes(32).toString('base64url')
const CODE_CHALLENGE = createHash('sha256').update(CODE_VERIFIER).digest('base64url')

/** Unused codes, all for the same verifier. */
export async function mintCodes(
  pool: pg.Pool,
  holders: readonly Holder[],
): Promise<readonly FreshCode[]> {
  const codes = holders.map((holder) => {
    const id = uuidv7()
    return { ...holder, id, code: mintToken('code', id) }
  })
  await pool.query(
    `insert into authorization_codes (id, hash, school_id, client_id, user_id, audience, scopes, resource,
       redirect_uri, code_challenge, nonce, authenticated_at, expires_at)
     select g.id, g.hash, g.school_id, 'app', g.user_id, 'member', $5, 'http://' || g.host, $6, $7,
       'nonce', now(), now() + interval '1 hour'
     from unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::uuid[], $8::text[])
       as g (id, hash, school_id, user_id, host)`,
    [
      codes.map(({ id }) => id),
      codes.map(({ code }) => code.hash),
      codes.map(({ schoolId }) => schoolId),
      codes.map(({ person }) => person),
      MEMBER_SCOPES,
      REDIRECT_URI,
      CODE_CHALLENGE,
      codes.map(({ host }) => host),
    ],
  )
  return codes.map(({ code, ...rest }) => ({ ...rest, code: code.value }))
}
