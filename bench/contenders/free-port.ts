import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that the system assigns, so that contenders can start at the same time; random,
 * so that two runs can work at the same time.
 */
let lastPort = 20_000 + randomInt(10_000)

export async function freePort(): Promise<number> {
  const port = ++lastPort
  const probe = createServer().listen(port, '127.0.0.1')
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return await freePort()
  probe.close()
  await once(probe, 'close')
  return port
}
