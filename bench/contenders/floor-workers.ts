import cluster from 'node:cluster'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { announce } from './serve.ts'

/** The floor in two processes that share a port: shows the cost of sharing on this machine. */
if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()]
  const addresses = await Promise.all(workers.map((worker) => once(worker, 'listening')))
  announce((addresses[0]?.[0] ?? null) as AddressInfo | null)
} else {
  // The open channel keeps this process alive, and the worker asks for its port through it.
  process.channel?.ref()
  await import('./floor.ts')
}
