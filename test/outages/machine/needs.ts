import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** The PostgreSQL of Debian 12. */
export const POSTGRES_BIN = process.env.OUTAGE_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'

const PROGRAMS = {
  postgresql: [join(POSTGRES_BIN, 'postgres'), join(POSTGRES_BIN, 'pg_basebackup')],
  patroni: ['patroni'],
  'etcd-server': ['etcd'],
  haproxy: ['haproxy'],
} as const

/** A package of Debian that a scenario needs. */
export type Need = keyof typeof PROGRAMS

export function missing(needs: readonly Need[]): readonly Need[] {
  return needs.filter((need) => !PROGRAMS[need].every((program) => find(program) !== undefined))
}

/** Where a program is; /usr/sbin may be outside of PATH. */
export function find(program: string): string | undefined {
  if (program.startsWith('/')) return isExecutable(program) ? program : undefined
  return [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/sbin']
    .map((folder) => join(folder, program))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
