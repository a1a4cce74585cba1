import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'
import { whenFileIsDone } from './clean-up.ts'

/** ReadyForQuery: the server has executed the statement and committed it. */
const READY = Buffer.from('Z\0\0\0\x05I')

/** A proxy between pg and PostgreSQL that can cut connections after a commit, or fall silent. */
export interface DatabaseProxy {
  readonly connection: pg.ClientConfig
  /** The number of lost answers. */
  readonly lost: number
  /**
   * Lets the next `times` statements whose text includes `part` reach the server and commit, then cuts
   * the connection instead of forwarding the answer. Only texts that the connection has not prepared
   * yet are recognised.
   */
  loseAnswersTo(part: string, times: number): void
  /** Cuts every connection to the client; a running statement continues in PostgreSQL. */
  cut(): void
  /** From now on, open connections forward nothing and stay open; new connections work. */
  silence(): void
  /** The same for all connections, new ones too, until `comeBack`. */
  vanish(): void
  /** New connections work again; the silent ones stay silent. */
  comeBack(): void
  /** How many connections were opened. */
  readonly opened: number
  /** How many are open, on the client's side. */
  readonly open: number
}

/**
 * With `database`, connections get another one than they ask for; its name must have the same length. With `forgets`,
 * a statement of this name is unknown when it is run again, as behind a pooler.
 */
export async function aDatabaseProxy(
  to: pg.ClientConfig,
  {
    database,
    forgets,
  }: { readonly database?: string | undefined; readonly forgets?: string | undefined } = {},
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  let doomedPart = ''
  let doomedTimes = 0
  let lost = 0
  let opened = 0
  let isGone = false

  const server = createServer((client) => {
    opened++
    if (isGone) {
      hold(client)
      return
    }
    const upstream = createConnection(addressOf(to))
    let doomed = false
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('data', (given) => {
      const chunk = database === undefined ? given : renamed(given, to.database ?? '', database)
      if (forgets !== undefined && !chunk.includes('select')) rename(chunk, forgets)
      if (doomedTimes > 0 && chunk.includes(doomedPart)) {
        doomedTimes--
        doomed = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!doomed) client.write(chunk)
      else if (chunk.subarray(-READY.length).equals(READY)) {
        lost++
        client.destroy()
      }
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  /** Accepts it and never answers. */
  function hold(client: Socket): void {
    for (const set of [sockets, clients]) {
      set.add(client)
      client.on('close', () => set.delete(client))
    }
    client.on('error', () => {})
    // Read, or the end of the connection would not be noticed.
    client.resume()
  }
  function silence(): void {
    for (const socket of sockets) socket.removeAllListeners('data').resume()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  whenFileIsDone(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  return {
    connection: { ...to, host: '127.0.0.1', port: address.port },
    get lost() {
      return lost
    },
    loseAnswersTo(part, times) {
      doomedPart = part
      doomedTimes = times
    },
    cut() {
      for (const socket of clients) socket.destroy()
    },
    silence,
    vanish() {
      isGone = true
      silence()
    },
    comeBack() {
      isGone = false
    },
    get opened() {
      return opened
    },
    get open() {
      return clients.size
    },
  }
}

/** Gives a statement a name of the same length that was never prepared. */
function rename(chunk: Buffer, name: string): void {
  const at = chunk.indexOf(name)
  if (at >= 0) chunk.write('?'.repeat(name.length), at)
}

function renamed(chunk: Buffer, from: string, to: string): Buffer {
  const at = chunk.indexOf(`database\0${from}\0`)
  if (at < 0) return chunk
  chunk.write(to, at + 'database\0'.length)
  return chunk
}

function addressOf({ host = '127.0.0.1', port = 5432 }: pg.ClientConfig) {
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
}
