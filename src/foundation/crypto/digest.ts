import { createHmac, hash, timingSafeEqual } from 'node:crypto'

export function sha256(data: string | Uint8Array): Buffer {
  // By way of a string: a digest that comes as a buffer has memory of its own outside the heap, which
  // takes longer to get and to give back than the hashing.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary')
}

export function hmacSha256(key: Uint8Array, data: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** Compares without telling by its timing how far two values agree; lengths may differ. */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const comparable = typeof a !== 'string' && typeof b !== 'string' && a.length === b.length
  if (comparable) return timingSafeEqual(a, b)
  return timingSafeEqual(sha256(a), sha256(b))
}
