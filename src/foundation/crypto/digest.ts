import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

export function hmacSha256(key: Uint8Array, data: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

/** Compares without telling by its timing how far two values agree; lengths may differ. */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}
