import { createHmac, hash, timingSafeEqual } from 'node:crypto'

export function sha256(data: string | Uint8Array): Buffer {
  // Through a string: a digest as a buffer allocates memory outside the heap, which
  // takes longer to allocate and free than the hashing.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary')
}

export function hmacSha256(key: Uint8Array, data: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/**
 * Compares in constant time, so that timing does not reveal how many bytes agree. Lengths may
 * differ.
 */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const comparable = typeof a !== 'string' && typeof b !== 'string' && a.length === b.length
  if (comparable) return timingSafeEqual(a, b)
  return timingSafeEqual(sha256(a), sha256(b))
}
