import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../faults/support/running-server.ts'
import { POSTGRES_BIN } from './needs.ts'
import type { Place } from './place.ts'
import { UNPRIVILEGED } from './processes.ts'

export const LOGIN = { user: 'schoolgate', password: 'a password for this run' } as const
const DATABASE = 'schoolgate'

/** Runs a program of PostgreSQL to its end. */
export async function runPostgresProgram(name: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(join(POSTGRES_BIN, name), [...args], {
    ...UNPRIVILEGED,
    cwd: '/',
    env: { LANG: 'C.UTF-8', PGPASSWORD: LOGIN.password },
  })
}

/** One PostgreSQL of the system's package, on a folder and a port of its own. */
export class SinglePostgres {
  readonly dataDir: string
  readonly port: number
  readonly #place: Place
  #child: ChildProcess | undefined

  private constructor(place: Place, dataDir: string, port: number) {
    this.#place = place
    this.dataDir = dataDir
    this.port = port
  }

  static async create(place: Place, settings: Readonly<Record<string, string>> = {}) {
    const dataDir = await place.folderFor('postgres')
    const passwordFile = join(place.folder, 'password')
    await writeFile(passwordFile, LOGIN.password)
    await runPostgresProgram('initdb', [
      ...['-D', dataDir, '-U', LOGIN.user, '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      ...['--encoding=UTF8', '--locale=C.UTF-8'],
    ])
    const created = await SinglePostgres.on(place, dataDir, settings)
    const client = new pg.Client({ ...created.connection, database: 'postgres' })
    await client.connect()
    await client.query(`create database ${DATABASE}`)
    await client.end()
    return created
  }

  /** Starts on a folder that has a cluster, such as a restored one. */
  static async on(place: Place, dataDir: string, settings: Readonly<Record<string, string>> = {}) {
    const port = await freePort()
    const lines = Object.entries({
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      ...settings,
    }).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    await appendFile(join(dataDir, 'postgresql.conf'), lines.join(''))
    const postgres = new SinglePostgres(place, dataDir, port)
    await postgres.start()
    return postgres
  }

  get connection() {
    return { host: '127.0.0.1', port: this.port, ...LOGIN, database: DATABASE }
  }

  get url(): string {
    const { user, password } = LOGIN
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${DATABASE}`
  }

  async start(): Promise<void> {
    const log = this.#place.log(`postgres-${this.port}`)
    const program = join(POSTGRES_BIN, 'postgres')
    const child = this.#place.processes.start(program, ['-D', this.dataDir], log)
    this.#child = child
    this.#place.whenDone(() => this.stop('SIGQUIT'))
    while (child.exitCode === null) {
      if (await this.#accepts()) return
      await sleep(50)
    }
    throw new Error(`PostgreSQL ended: ${await readFile(log, 'utf8')}`)
  }

  /** Ends all sessions, and archives what is left of the WAL, unless the signal says otherwise. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  async #accepts(): Promise<boolean> {
    const client = new pg.Client({ ...this.connection, database: 'postgres' })
    client.on('error', () => {})
    try {
      await client.connect()
      // A restored cluster accepts connections before it has reached its end.
      const { rows } = await client.query<{ ready: boolean }>(
        'select not pg_is_in_recovery() as ready',
      )
      return rows[0]?.ready === true
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
