import type { Socket } from 'node:net'
import { countRequest } from '../concurrency/usage-meter.ts'
import type { RequestObserver } from './observe-requests.ts'

/** Bytes of a connection that were counted for its earlier requests. */
const counted = new WeakMap<Socket, number>()

/** Counts each request and its bytes for the tenant that it was sent to. */
export const usageObserver: RequestObserver = {
  finished(_finished, { raw: { socket }, tenant }) {
    const bytes = (socket.bytesRead ?? 0) + (socket.bytesWritten ?? 0)
    const before = counted.get(socket) ?? 0
    counted.set(socket, bytes)
    if (tenant !== undefined) countRequest(tenant, bytes - before)
  },
}
