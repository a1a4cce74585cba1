import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import pg from 'pg'
import type { ConnectionSettings } from './hosts.ts'

/** How long PostgreSQL may take to close a connection after our goodbye. */
const GOODBYE_MS = 1_000
/** A firewall forgets idle connections; the default of the system is two hours. */
const KEEP_ALIVE_MS = 30_000

/**
 * A connection with a socket of its own, so that it can be closed although PostgreSQL is silent:
 * pg's `end` would wait forever. It also has a name of its own, by which another connection finds
 * what it runs, behind a pooler too.
 */
export class ClosableClient extends pg.Client {
  readonly socket: Socket
  readonly applicationName: string
  readonly settings: ConnectionSettings
  /** The one of several hosts that it connects to. */
  readonly address: pg.ClientConfig | undefined

  constructor(config: ConnectionSettings = {}) {
    const applicationName = `${config.application_name} ${randomBytes(8).toString('hex')}`
    const socket = new Socket()
    const address = config.hosts?.current
    super({
      ...config,
      // A pool hides the password from a copy.
      password: config.password,
      ...withoutName(address ?? config),
      application_name: applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => socket,
    })
    this.applicationName = applicationName
    this.settings = config
    this.address = address
    this.socket = socket
  }

  /** All statements on it fail as on a lost connection. */
  giveUp(): void {
    this.socket.destroy(new Error('Connection terminated: PostgreSQL was silent for too long'))
  }

  /** For one that is not in use yet: fails as one that could not be opened in time. */
  giveUpOpening(): void {
    this.socket.destroy(new Error('timeout expired'))
  }

  /** No statement may run. */
  async close(): Promise<void> {
    const goodbye = setTimeout(() => this.socket.destroy(), GOODBYE_MS)
    await this.end()
    clearTimeout(goodbye)
  }
}

/** pg prefers the name in a URL to the one that it is given. */
function withoutName({ connectionString, ...config }: pg.ClientConfig): pg.ClientConfig {
  if (connectionString === undefined) return config
  const [place = '', ...query] = connectionString.split('?')
  const options = query.join('?').split('&')
  const others = options.filter((option) => !option.startsWith('application_name='))
  return { ...config, connectionString: [place, others.join('&')].filter(Boolean).join('?') }
}
