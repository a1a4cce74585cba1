import type { FastifyRequest } from 'fastify'
import type { Queries } from '../scenario.ts'
import { bearer } from './least.ts'

const WHO = `
  select p.access_hash, a.school_id, a.user_id
  from token_pairs p join authorizations a on a.id = p.authorization_id
  where p.id = $1 and p.revoked_at is null and a.revoked_at is null and p.access_expires_at > now()`

export interface Member {
  readonly school_id: string
  readonly user_id: string
}

/** Finds the member of a token with one statement; the compared GraphQL servers use it too. */
export async function findMember(
  pool: Queries,
  request: FastifyRequest,
): Promise<Member | undefined> {
  const token = bearer(request)
  const { rows } = await pool.query<Member & { access_hash: Buffer }>({
    name: 'who',
    text: WHO,
    values: [token.id],
  })
  const row = rows[0]
  return row?.access_hash.equals(token.hash) ? row : undefined
}
