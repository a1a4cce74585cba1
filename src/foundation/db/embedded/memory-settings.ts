import { totalmem } from 'node:os'

const MB = 1024 * 1024
const GB = 1024 * MB

/** What the machine, or the container that we run in, has. */
export function memoryOfMachine(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * PostgreSQL's own defaults are for machines of long ago. It shares this one with Node and, on a small installation, with
 * other programs, so each value is on the low side of what its manual recommends.
 */
export function memorySettings(total = memoryOfMachine()): Readonly<Record<string, string>> {
  return {
    shared_buffers: megabytes(total / 8, 128 * MB, 2 * GB),
    effective_cache_size: megabytes(total / 2, 128 * MB, 64 * GB),
    // For each sort, of which a few run at once.
    work_mem: megabytes(total / 256, 4 * MB, 64 * MB),
    maintenance_work_mem: megabytes(total / 32, 64 * MB, GB),
  }
}

function megabytes(wanted: number, least: number, most: number): string {
  return `${Math.floor(Math.min(Math.max(wanted, least), most) / MB)}MB`
}
