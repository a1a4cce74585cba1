import { execFileSync } from 'node:child_process'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { POSTGRES_BIN } from './needs.ts'

/** In general words, for a page. */
export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${availableParallelism()} cores and ${gigabytes} GB, Node ${process.versions.node}`
}

/** Empty if there is none: the scenarios of the embedded database need none. */
export function describeSystemPostgres(): string {
  try {
    const program = join(POSTGRES_BIN, 'postgres')
    const [version] = execFileSync(program, ['--version'], { encoding: 'utf8' }).match(
      /\d+\.\d+/,
    ) ?? ['']
    return `, PostgreSQL ${version} of the system`
  } catch {
    return ''
  }
}
