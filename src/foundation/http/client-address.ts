import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { unmapIPv4 } from './trust-proxy.ts'

/**
 * The caller's address: the socket's, or the one that trusted proxies name in `X-Forwarded-For`.
 * An entry that is no address falls back to the peer that sent it.
 */
export function clientAddress(request: FastifyRequest): string {
  return (
    parseAddress(request.ip) ?? parseAddress(request.raw.socket.remoteAddress ?? '') ?? 'unknown'
  )
}

function parseAddress(text: string): string | undefined {
  const plain = unmapIPv4(text)
  if (isIP(plain) !== 0) return plain
  // Some load balancers append the caller's port.
  const withPort = /^(?:\[([0-9a-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3})):\d{1,5}$/i.exec(text)
  const address = unmapIPv4(withPort?.[1] ?? withPort?.[2] ?? '')
  return isIP(address) === 0 ? undefined : address
}
