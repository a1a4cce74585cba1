import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'

/** The parts of the floors: no checksum, no error messages, no variants. */

export interface Fingerprint {
  readonly id: string
  readonly hash: Buffer
}

export function fingerprint(token: string): Fingerprint {
  const id = Buffer.from(token.slice(6, 28), 'base64url').toString('hex', 0, 16)
  return { id, hash: createHash('sha256').update(token).digest() }
}

export function bearer(request: FastifyRequest): Fingerprint {
  return fingerprint(request.headers.authorization?.slice('Bearer '.length) ?? '')
}

export function mint(): { id: string; access: Minted; refresh: Minted } {
  const id = uuidv7()
  return { id, access: mintOne('sg_at_', id), refresh: mintOne('sg_rt_', id) }
}

interface Minted {
  readonly value: string
  readonly hash: Buffer
}

function mintOne(prefix: string, id: string): Minted {
  const bytes = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), randomBytes(32)])
  const value = `${prefix}${bytes.toString('base64url')}00000000`
  return { value, hash: createHash('sha256').update(value).digest() }
}

export function refuse(reply: FastifyReply): FastifyReply {
  return reply.code(401).send({ error: 'invalid_token' })
}
