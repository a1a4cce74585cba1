import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../faults/support/running-server.ts'
import { find } from './needs.ts'
import type { Place } from './place.ts'

interface Backend {
  readonly port: number
  readonly checkPort?: number
}

const DEFAULTS = `
global
  maxconn 2000
defaults
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
  retries 3
`

/**
 * In front of PostgreSQL: connections go to the node of which Patroni says that it is the primary.
 */
export function toPrimary(place: Place, nodes: readonly Backend[]): Promise<number> {
  return start(
    place,
    'primary',
    (port) => `
listen primary
  mode tcp
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fastinter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
${serverLines(nodes)}`,
  )
}

/** In front of servers of ours: requests go to those that are ready. */
export function toReadyServers(place: Place, servers: readonly Backend[]): Promise<number> {
  return start(
    place,
    'web',
    (port) => `
listen web
  mode http
  bind 127.0.0.1:${port}
  option httpchk GET /readyz
  http-check expect status 200
  option redispatch 1
  default-server inter 500ms fastinter 200ms fall 2 rise 1
${serverLines(servers)}`,
  )
}

const serverLines = (backends: readonly Backend[]): string =>
  backends
    .map(
      ({ port, checkPort = port }, place) =>
        `  server s${place} 127.0.0.1:${port} check port ${checkPort}\n`,
    )
    .join('')

async function start(
  place: Place,
  name: string,
  section: (port: number) => string,
): Promise<number> {
  const port = await freePort()
  const file = join(place.folder, `${name}.cfg`)
  await writeFile(file, DEFAULTS + section(port))
  place.processes.start(find('haproxy') ?? 'haproxy', ['-db', '-f', file], place.log(name))
  return port
}
