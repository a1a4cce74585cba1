import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startContender } from '../contenders/start.ts'
import { userinfo } from '../scenarios/userinfo.ts'
import { SIZES } from '../world/sizes.ts'
import { openWorld, type World } from '../world/world.ts'
import { playRound } from './round.ts'

/** Resident memory of a process in MiB. */
interface Resident {
  /** A few seconds after the start, before any request. */
  readonly idle: number
  /** After requests to every school. */
  readonly asked: number
}

export interface Memory {
  readonly schools: number
  readonly ours: Resident
  readonly floor: Resident
}

const REST_MS = 5_000

/** The memory of one process of ours, and of the floor, which keeps nothing about schools. */
export async function measureMemory(): Promise<Memory> {
  const { schools } = SIZES.schools
  const world = await openWorld('schools', SIZES.schools, schools)
  try {
    return {
      schools,
      ours: await residentOf(world, 'ours'),
      floor: await residentOf(world, 'floor'),
    }
  } finally {
    await world.close()
  }
}

async function residentOf(world: World, name: 'ours' | 'floor'): Promise<Resident> {
  const { target, prepare, stop } = await startContender(name, world, userinfo)
  try {
    await sleep(REST_MS)
    const idle = mebibytes(target.pid)
    const requests = 3 * world.size.schools
    const play = await prepare(requests)
    const whole = { requests, milliseconds: Number.POSITIVE_INFINITY, lanes: 8 }
    const { failures, firstFailure } = await playRound(target, play, whole, world.postgresPid)
    if (failures > 0) throw new Error(`${failures} failed: ${firstFailure}`)
    await sleep(REST_MS)
    return { idle, asked: mebibytes(target.pid) }
  } finally {
    await stop()
  }
}

function mebibytes(pid: number): number {
  const [, kibibytes = ''] =
    /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}
