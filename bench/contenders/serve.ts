import type { AddressInfo } from 'node:net'
import type { Play } from '../play.ts'

/** Environment variables that the runner gives to a contender. */
export const DATABASE_URL = process.env.BENCH_DATABASE_URL ?? ''
export const SCENARIO = process.env.BENCH_SCENARIO ?? ''
export const VARIANT = process.env.BENCH_VARIANT ?? ''
export const POOL_SIZE = 10

/** Connections stay open during the turns of other contenders, as in a busy server. */
export const POOL = { connectionString: DATABASE_URL, max: POOL_SIZE, idleTimeoutMillis: 0 }

export interface PrepareMessage {
  readonly play: string
  readonly count: number
}

export type ContenderMessage =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'prepared'; readonly play: Play }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'statements'; readonly statements: number }

export type Plays = Readonly<Record<string, (count: number) => Promise<Play>>>

/** Sends the port of this process to the runner, and prepares requests when the runner asks. */
export function announce(address: AddressInfo | string | null, plays: Plays = {}): void {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  const tell = (message: ContenderMessage): void => void process.send?.(message)
  process.on('message', (message: PrepareMessage | string) => {
    if (typeof message === 'string') return
    const { play: name, count } = message
    const prepare = plays[name] ?? (() => Promise.reject(new Error(`cannot play ${name}`)))
    prepare(count).then(
      (play) => tell({ kind: 'prepared', play }),
      (error: Error) => tell({ kind: 'failed', reason: error.stack ?? error.message }),
    )
  })
  process.on('disconnect', () => process.exit(0))
  // process.exit on SIGTERM, so that Node writes a profile.
  process.on('SIGTERM', () => process.exit(0))
  tell({ kind: 'ready', port: address.port })
}
