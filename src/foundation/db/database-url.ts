import { parseUrl } from '../net/parse-url.ts'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, Hosts } from './hosts.ts'

/** Both mean what we always do: use the primary only. */
const PRIMARY_ONLY = new Set(['read-write', 'primary'])

/**
 * The parts of `postgres://user:password@one:5432,two:5432/database?…`. A URL of the platform has
 * only one host.
 */
function partsOf(url: string) {
  const begin = url.indexOf('//') + 2
  const length = url.slice(begin).search(/[/?#]/)
  const end = length < 0 ? url.length : begin + length
  const at = url.slice(begin, end).lastIndexOf('@') + 1
  return {
    login: url.slice(0, begin + at),
    hosts: url.slice(begin + at, end),
    rest: url.slice(end),
  }
}

/** One address for each host. */
function addressesOf(url: string): readonly string[] {
  const { login, hosts, rest } = partsOf(url)
  return hosts.split(',').map((host) => `${login}${host}${rest}`)
}

/** What a URL must be instead; undefined if it can be used. */
export function findUrlProblem(url: string): string | undefined {
  const addresses = addressesOf(url)
  if (!/^postgres(ql)?:\/\/.+/.test(url) || !addresses.every((one) => parseUrl(one))) {
    return 'a URL such as postgres://user:password@host:5432/database, with several hosts as host1:5432,host2:5432'
  }
  const { searchParams } = new URL(addresses[0] ?? '')
  const wanted = searchParams.get('target_session_attrs') ?? 'read-write'
  if (!PRIMARY_ONLY.has(wanted)) {
    return 'a URL with target_session_attrs=read-write or without it: only the primary is used, because a standby may not know the newest revocations'
  }
  if (searchParams.get('host')?.includes(',')) {
    return 'a URL that lists its hosts before the name of the database: postgres://user:password@host1:5432,host2:5432/database'
  }
  return undefined
}

export function connectionOf(url: string): ConnectionSettings {
  const addresses = addressesOf(url)
  if (addresses.length === 1) return { connectionString: url }
  return { hosts: new Hosts(addresses.map((connectionString) => ({ connectionString }))) }
}

/** Where the database is, without user, password and options. */
export function placeOf(url: string): string {
  const { hosts, rest } = partsOf(url)
  return `${hosts}${rest.split(/[?#]/, 1)[0]}`
}

/** "There is no such statement." */
const UNKNOWN_STATEMENT = '26000'

/**
 * Whether statements that a connection prepared are lost, as behind a pooler that lends another
 * session to each transaction and does not know them. One connection prepares a statement, another
 * one takes the session away, and the first one runs it again. False if it cannot be found out in
 * time.
 */
export async function losesPreparedStatements(
  connection: ConnectionSettings,
  withinMs: number,
): Promise<boolean> {
  const settings = { ...connection, application_name: 'schoolgate look' }
  const [one, other] = [new ClosableClient(settings), new ClosableClient(settings)]
  for (const client of [one, other]) client.on('error', () => undefined)
  const timer = setTimeout(() => {
    one.giveUpOpening()
    other.giveUpOpening()
  }, withinMs)
  const run = () =>
    one.query({ name: 'schoolgate_look', text: 'select $1::int as it', values: [1] })
  try {
    await Promise.all([one.connect(), other.connect()])
    await run()
    await other.query('begin')
    await other.query('select 1')
    await run()
    await other.query('rollback')
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === UNKNOWN_STATEMENT
  } finally {
    clearTimeout(timer)
    await Promise.all([one.close(), other.close()])
  }
}
