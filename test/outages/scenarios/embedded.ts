import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { RunningServer } from '../../faults/support/running-server.ts'
import type { Place } from '../machine/place.ts'
import { type Data, startServer } from '../machine/servers.ts'
import { NotPossible, type Scenario } from '../scenario.ts'
import { breakAndRecover, finish, onEmbedded } from './stages.ts'

export const embeddedPostgresKilled: Scenario = {
  name: 'embedded-postgres-killed',
  faults: 'kill -9 of the embedded PostgreSQL, twice',
  needs: [],
  async run(place, seed) {
    const stage = await onEmbedded(place, seed, join(place.folder, 'data'))
    const { traffic, watched, address } = stage
    const kill = async () => process.kill((await address()).pid, 'SIGKILL')
    const recovery = Math.max(
      await breakAndRecover(traffic, watched, kill),
      await breakAndRecover(traffic, watched, kill),
    )
    await finish(traffic, await address())
    return { traffic, recovery }
  },
}

export const embeddedServerKilled: Scenario = {
  name: 'embedded-server-killed',
  faults: 'kill -9 of the server with the embedded database, and a new start',
  needs: [],
  async run(place, seed) {
    const { traffic, server, data, port, address } = await onEmbedded(
      place,
      seed,
      join(place.folder, 'data'),
    )
    await sleep(5000)
    await server.stop('SIGKILL')
    await sleep(1000)
    await startServer(place, data, { port })
    const readyAt = Date.now()
    await sleep(5000)
    const recovery = traffic.figures.recovery(port, readyAt)
    await finish(traffic, await address())
    return { traffic, recovery }
  },
}

const DISK_MEGABYTES = 400
const FULL_MS = 8000

export const embeddedDiskFull: Scenario = {
  name: 'embedded-disk-full',
  faults: 'the disk of the embedded database is full for 8 s',
  needs: [],
  async run(place, seed) {
    const folder = await smallDisk(place)
    const stage = await onEmbedded(place, seed, folder)
    const { traffic, watched, address, server, data, port } = stage
    const supervisor = new Supervisor(place, data, port)
    void supervisor.watch(server)
    const ballast = join(folder, 'ballast')
    // The probe finds room for its short rows while others do not, so it cannot tell when the fault
    // ended.
    let endedAt = 0
    await breakAndRecover(traffic, watched, async () => {
      await fill(folder, ballast)
      await sleep(FULL_MS)
      await rm(ballast)
      endedAt = Date.now()
    })
    await finish(traffic, await address())
    const { restarts, readyAt } = supervisor
    return {
      traffic,
      recovery: traffic.figures.recovery(port, Math.max(endedAt, readyAt)),
      notes: [
        restarts === 0
          ? 'the server went on'
          : `the server ended ${restarts} times and was started again; seconds count from then`,
      ],
    }
  },
}

/**
 * Starts a server again when it ends. Without room for its log PostgreSQL ends, and the server with
 * it.
 */
class Supervisor {
  restarts = 0
  /** When the newest server was ready. */
  readyAt = 0
  readonly #place: Place
  readonly #data: Data
  readonly #port: number
  #isStopped = false

  constructor(place: Place, data: Data, port: number) {
    this.#place = place
    this.#data = data
    this.#port = port
    place.whenDone(async () => {
      this.#isStopped = true
    })
  }

  async watch(server: RunningServer): Promise<void> {
    await server.ended()
    while (!this.#isStopped) {
      const port = this.#port
      const next = await startServer(this.#place, this.#data, { port }).catch(() => sleep(500))
      if (next === undefined) continue
      this.restarts += 1
      this.readyAt = Date.now()
      return this.watch(next)
    }
  }
}

async function smallDisk(place: Place): Promise<string> {
  const folder = join(place.folder, 'disk')
  await mkdir(folder)
  const run = promisify(execFile)
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'hold', folder])
  } catch {
    throw new NotPossible('this user may not mount a small disk')
  }
  place.whenUnused(() => run('umount', ['-l', folder]))
  await chmod(folder, 0o755)
  return folder
}

async function fill(folder: string, ballast: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  await writeFile(ballast, Buffer.alloc(bavail * bsize)).catch(() => undefined)
}
