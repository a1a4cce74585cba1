import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
   * Lets the next `times` statements whose text includes `part` reach the server and commit, then
   * cuts the connection instead of forwarding the answer. Only texts that the connection has not
   * prepared yet are recognised.
   */
  loseAnswersTo(part: string, times: number): void
  /** Cuts every connection to the client; a running statement continues in PostgreSQL. */
  cut(): void
  /**
   * Resolves when PostgreSQL has ended the sessions of all cut connections, and their statements
   * with them.
   */
  settled(): Promise<void>
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
  /** How often PostgreSQL was asked whether it works on the statements of others. */
  readonly asked: number
}

interface ProxyOptions {
  /**
   * Connections get this one instead of the one that they ask for; its name must have the same
   * length.
   */
  readonly database?: string | undefined
  /** A statement of this name is unknown when it is run again, as behind a pooler. */
  readonly forgets?: string | undefined
  /** Takes the settings out that a connection begins with, as a pooler that ignores them. */
  readonly ignoresOptions?: boolean
  /** Listens on a socket in the file system, which costs less than a port. */
  readonly local?: boolean
}

export async function aDatabaseProxy(
  to: pg.ClientConfig,
  { database, forgets, ignoresOptions = false, local = false }: ProxyOptions = {},
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  /** To PostgreSQL, of clients that have left. */
  const leaving = new Set<Socket>()
  let doomedPart = ''
  let doomedTimes = 0
  let lost = 0
  let opened = 0
  let asked = 0
  let isGone = false

  const server = createServer((client) => {
    opened++
    if (isGone) {
      hold(client)
      return
    }
    const upstream = createConnection(addressOf(to))
    let doomed = false
    let isOpen = false
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('data', (given) => {
      const chunk = database === undefined ? given : renamed(given, to.database ?? '', database)
      if (ignoresOptions && !isOpen) blankOptions(chunk)
      if (forgets !== undefined && !chunk.includes('select')) rename(chunk, forgets)
      if (isOpen && doomedTimes > 0 && chunk.includes(doomedPart)) {
        doomedTimes--
        doomed = true
      }
      if (!isOpen && chunk.includes('schoolgate probe')) client.once('close', () => asked++)
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      const isReady = chunk.subarray(-READY.length).equals(READY)
      isOpen ||= isReady
      if (!doomed) client.write(chunk)
      else if (isReady) {
        lost++
        client.destroy()
      }
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    upstream.on('close', () => {
      leaving.delete(upstream)
      client.destroy()
    })
    client.on('close', () => {
      if (upstream.destroyed) return
      leaving.add(upstream)
      // PostgreSQL reads this end after the statements before it, and then closes its side.
      upstream.end()
    })
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
  const address = local ? await listenLocally(server) : await listenOnPort(server)
  whenFileIsDone(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  return {
    connection: { ...to, ...address },
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
    async settled() {
      // The client reads the end of its connection one turn later.
      do await sleep(1)
      while (leaving.size > 0)
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
    get asked() {
      return asked
    },
  }
}

async function listenOnPort(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return { host: '127.0.0.1', port: address.port }
}

async function listenLocally(server: Server) {
  const address = { host: await mkdtemp(join(tmpdir(), 'schoolgate-proxy-')), port: 5432 }
  await new Promise<void>((resolve) => server.listen(addressOf(address), resolve))
  whenFileIsDone(() => rm(address.host, { recursive: true, force: true }))
  return address
}

/** Gives a statement a name of the same length that was never prepared. */
function rename(chunk: Buffer, name: string): void {
  const at = chunk.indexOf(name)
  if (at >= 0) chunk.write('?'.repeat(name.length), at)
}

function blankOptions(chunk: Buffer): void {
  const key = chunk.indexOf('options\0')
  if (key < 0) return
  const from = key + 'options\0'.length
  chunk.fill(' ', from, chunk.indexOf(0, from))
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
