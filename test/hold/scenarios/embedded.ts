import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Place } from '../machine/place.ts'
import { startServer } from '../machine/servers.ts'
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

export const embeddedDiskFull: Scenario = {
  name: 'embedded-disk-full',
  faults: 'the disk of the embedded database is full for 8 s',
  needs: [],
  async run(place, seed) {
    const folder = await smallDisk(place)
    const stage = await onEmbedded(place, seed, folder)
    const { traffic, watched, data, port, address } = stage
    let server = stage.server
    const ballast = join(folder, 'ballast')
    let ended = false
    const recovery = await breakAndRecover(traffic, watched, async () => {
      await fill(folder, ballast)
      await sleep(8000)
      await rm(ballast)
      // Without room for its log PostgreSQL ends, and the server with it; its supervisor starts both again.
      if (server.process.exitCode !== null) {
        ended = true
        server = await startServer(place, data, { port })
      }
    })
    await finish(traffic, await address())
    const notes = [
      ended ? 'the server ended with the cause and was started again' : 'the server went on',
    ]
    return { traffic, recovery, notes }
  },
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
