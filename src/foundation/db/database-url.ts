import { parseUrl } from '../net/parse-url.ts'
import { type ConnectionSettings, Hosts } from './hosts.ts'

/** Both mean what we always do: use the primary only. */
const PRIMARY_ONLY = new Set(['read-write', 'primary'])

/** The parts of `postgres://user:password@one:5432,two:5432/database?…`. A URL of the platform has only one host. */
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
