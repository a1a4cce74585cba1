import pg from 'pg'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { DatabaseAddress } from '../../src/foundation/db/embedded/embedded-postgres.ts'
import { sessionCookieName } from '../../src/foundation/http/cookies.ts'
import { mintToken } from '../../src/foundation/protocol/token-format.ts'
import { bigId, schoolIdOf } from './ids.ts'
import { BIG, PERSON, type SchoolSize, SMALL } from './school-size.ts'

/** Headers of the people who ask at one school. */
export interface Callers {
  readonly school: SchoolSize
  /** The owner, in a browser and with a token for everything. */
  readonly browser: Readonly<Record<string, string>>
  readonly operator: Readonly<Record<string, string>>
  /** A member with very much of everything, in a browser and with a token. */
  readonly busyBrowser: Readonly<Record<string, string>>
  readonly busy: Readonly<Record<string, string>>
}

export interface BothCallers {
  readonly big: Callers
  readonly small: Callers
}

export async function makeCallers(address: DatabaseAddress): Promise<BothCallers> {
  const client = new pg.Client({ ...address })
  await client.connect()
  try {
    return { big: await callersAt(client, BIG), small: await callersAt(client, SMALL) }
  } finally {
    await client.end()
  }
}

async function callersAt(client: pg.Client, school: SchoolSize): Promise<Callers> {
  const { host } = school
  const owner = bigId('person', school, PERSON.owner)
  const busy = bigId('person', school, PERSON.busy)
  const with_ = (name: string, value: string) => ({ host, [name]: value })
  return {
    school,
    browser: with_('cookie', await signIn(client, school, owner)),
    operator: with_('authorization', await authorize(client, school, owner, 'operator')),
    busyBrowser: with_('cookie', await signIn(client, school, busy)),
    busy: with_('authorization', await authorize(client, school, busy, 'member')),
  }
}

async function signIn(client: pg.Client, school: SchoolSize, person: string): Promise<string> {
  const id = uuidv7()
  const { value, hash } = mintToken('session', id)
  // The proof stays recent for the whole run: pages that need one would lead to /confirm instead.
  await client.query(
    `insert into browser_sessions (id, secret_hash, school_id, user_id, expires_at, authenticated_at)
     values ($1, $2, $3, $4, now() + interval '1 day', now() + interval '1 day')`,
    [id, hash, schoolIdOf(school), person],
  )
  return `${sessionCookieName(`http://${school.host}`)}=${value}`
}

async function authorize(
  client: pg.Client,
  school: SchoolSize,
  person: string,
  audience: 'operator' | 'member',
): Promise<string> {
  const id = uuidv7()
  const [access, refresh] = [mintToken('access', id), mintToken('refresh', id)]
  const scopes = [...SCOPES_OF_AUDIENCE[audience]]
  const clientId = audience === 'member' ? 'app1' : 'ops'
  const values = [schoolIdOf(school), clientId, scopes]
  await client.query(
    'update clients set scopes = $3 where school_id = $1 and client_id = $2',
    values,
  )
  await client.query(
    `insert into authorizations (school_id, client_id, scopes, id, user_id, audience, resource)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [...values, id, person, audience, `http://${school.host}`],
  )
  await client.query(
    `insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
       access_expires_at, refresh_expires_at, first_used_at)
     values ($1, $1, $2, $3, $4, $5, now() + interval '1 day', now() + interval '90 days', now())`,
    [id, audience === 'member' ? schoolIdOf(school) : null, scopes, access.hash, refresh.hash],
  )
  return `Bearer ${access.value}`
}
