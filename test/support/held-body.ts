import { Readable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import type { Answer } from './browser-like.ts'
import type { World } from './world.ts'

/**
 * Calls `start`, holds the body of the first request with one back until the server has admitted
 * the request and begins to read, calls `meanwhile`, and sends the rest: as a client does that
 * sends the head of a request and waits.
 */
export async function whileBodyHeld(
  world: World,
  start: () => Promise<Answer>,
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  const inject = world.app.inject.bind(world.app)
  const held = (options: InjectOptions) => {
    if (options.payload === undefined) return inject(options)
    world.app.inject = inject
    const whole = Buffer.from(options.payload as string | Buffer)
    let isRead = false
    const payload = new Readable({
      read() {
        if (isRead) return
        isRead = true
        this.push(whole.subarray(0, 1))
        meanwhile().then(
          () => {
            this.push(whole.subarray(1))
            this.push(null)
          },
          (error: Error) => this.destroy(error),
        )
      },
    })
    const headers = { ...options.headers, 'content-length': String(whole.length) }
    return inject({ ...options, payload, headers })
  }
  world.app.inject = held as typeof world.app.inject
  try {
    return await start()
  } finally {
    world.app.inject = inject
  }
}
