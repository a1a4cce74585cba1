import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../faults/support/running-server.ts'
import { find, POSTGRES_BIN } from './needs.ts'
import type { Place } from './place.ts'
import { childrenOf, postmasterOf, signalAll } from './processes.ts'
import { LOGIN } from './single-postgres.ts'

const SUPERUSER = { user: 'postgres', password: 'another password for this run' } as const
const REPLICATOR = { username: 'replicator', password: 'a third password for this run' } as const
const DATABASE = 'schoolgate'

/**
 * The least that Patroni documents, so that a dead primary is replaced soon.
 * docs/guides/postgresql.md shows them.
 */
export const SHARED_SETTINGS = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
  synchronous_mode: true,
  maximum_lag_on_failover: 1_048_576,
}

interface Node {
  readonly name: string
  readonly dataDir: string
  readonly port: number
  readonly restPort: number
  readonly patroni: ChildProcess
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

/** Two PostgreSQL with synchronous replication, kept by Patroni over one etcd. */
export class PatroniCluster {
  readonly nodes: readonly Node[]

  private constructor(nodes: readonly Node[]) {
    this.nodes = nodes
  }

  static async start(place: Place): Promise<PatroniCluster> {
    const etcdPort = await startEtcd(place)
    const first = await startNode(place, 'one', etcdPort)
    await memberOf(first, ({ role, state }) => role === 'leader' && state === 'running')
    const second = await startNode(place, 'two', etcdPort)
    const cluster = new PatroniCluster([first, second])
    await cluster.untilSynchronous()
    const client = await connectTo(first)
    await client.query(
      `create role ${LOGIN.user} login password '${LOGIN.password}'; grant pg_monitor to ${LOGIN.user}`,
    )
    await client.query(`create database ${DATABASE} owner ${LOGIN.user}`)
    await client.end()
    return cluster
  }

  /** For DATABASE_URL: all hosts, or the one that is named. */
  url(ports: readonly number[] = this.nodes.map(({ port }) => port)): string {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    return `postgres://${LOGIN.user}:${encodeURIComponent(LOGIN.password)}@${hosts}/${DATABASE}`
  }

  async primary(): Promise<Node> {
    for (;;) {
      for (const node of this.nodes) if ((await ask(node, '/primary')) === 200) return node
      await sleep(100)
    }
  }

  async untilSynchronous(): Promise<void> {
    for (;;) {
      for (const one of this.nodes) {
        const members = await membersOf(one)
        if (
          members.some(
            ({ role, state }) => role === 'sync_standby' && /running|streaming/.test(state),
          )
        )
          return
      }
      await sleep(200)
    }
  }

  /** Like the loss of power: PostgreSQL and Patroni of this node are gone at once. */
  kill(node: Node): void {
    signalAll(this.#processesOf(node), 'SIGKILL')
  }

  /** Like a machine that hangs: all processes are there, none answers. */
  freeze(node: Node): () => void {
    const pids = this.#processesOf(node)
    signalAll(pids, 'SIGSTOP')
    return () => signalAll(pids, 'SIGCONT')
  }

  async switchover(from: Node): Promise<void> {
    const to = this.nodes.find((node) => node !== from)
    const answer = await fetch(`http://127.0.0.1:${from.restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name, candidate: to?.name }),
    })
    if (!answer.ok) throw new Error(`no switchover: ${answer.status} ${await answer.text()}`)
  }

  #processesOf({ patroni, dataDir }: Node): readonly number[] {
    const postmaster = postmasterOf(dataDir)
    if (patroni.pid === undefined || postmaster === undefined) throw new Error('not running')
    return [patroni.pid, postmaster, ...childrenOf(postmaster), ...childrenOf(patroni.pid)]
  }
}

async function startEtcd(place: Place): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const [at, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  place.processes.start(
    find('etcd') ?? 'etcd',
    [
      ...['--name', 'hold', '--data-dir', await place.folderFor('etcd')],
      ...['--listen-client-urls', at, '--advertise-client-urls', at],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `hold=${peers}`, '--logger', 'zap', '--enable-v2'],
    ],
    place.log('etcd'),
  )
  for (;;) {
    const health = await fetch(`${at}/health`).catch(() => undefined)
    if (health?.ok) return port
    await sleep(100)
  }
}

async function startNode(place: Place, name: string, etcdPort: number): Promise<Node> {
  const [port, restPort] = [await freePort(), await freePort()]
  const folder = await place.folderFor(`node-${name}`)
  const dataDir = join(folder, 'data')
  const file = join(place.folder, `${name}.yml`)
  // JSON is YAML.
  await writeFile(
    file,
    JSON.stringify(settingsOf({ name, folder, dataDir, port, restPort, etcdPort })),
  )
  place.processes.ownCluster(dataDir)
  const patroni = place.processes.start(
    find('patroni') ?? 'patroni',
    [file],
    place.log(`patroni-${name}`),
    {
      HOME: folder,
    },
  )
  return { name, dataDir, port, restPort, patroni }
}

function settingsOf(node: {
  name: string
  folder: string
  dataDir: string
  port: number
  restPort: number
  etcdPort: number
}) {
  const rest = `127.0.0.1:${node.restPort}`
  const address = `127.0.0.1:${node.port}`
  return {
    scope: 'hold',
    name: node.name,
    restapi: { listen: rest, connect_address: rest },
    // Over version 3 of its interface, Patroni before 3.0.3 takes the leader's key back when it
    // wakes up (patroni/patroni#2689), and everything that was written meanwhile is lost.
    etcd: { host: `127.0.0.1:${node.etcdPort}` },
    bootstrap: {
      dcs: {
        ...SHARED_SETTINGS,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 100, wal_log_hints: 'on' },
        },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      pg_hba: [
        'host replication all 127.0.0.1/32 scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
      ],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: node.dataDir,
      bin_dir: POSTGRES_BIN,
      pgpass: join(node.folder, 'pgpass'),
      authentication: {
        superuser: { username: SUPERUSER.user, password: SUPERUSER.password },
        replication: REPLICATOR,
      },
      parameters: { unix_socket_directories: node.folder },
    },
  }
}

async function connectTo({ port }: Node): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, ...SUPERUSER, database: 'postgres' })
  await client.connect()
  return client
}

async function ask({ restPort }: Node, path: string): Promise<number> {
  const answer = await get(restPort, path).catch(() => undefined)
  return answer?.status ?? 0
}

async function membersOf({ restPort }: Node): Promise<readonly Member[]> {
  try {
    const answer = await get(restPort, '/cluster')
    const { members } = (await answer.json()) as { members: readonly Member[] }
    return members
  } catch {
    return []
  }
}

const get = (port: number, path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1000) })

async function memberOf(node: Node, is: (member: Member) => boolean): Promise<void> {
  for (;;) {
    const member = (await membersOf(node)).find(({ name }) => name === node.name)
    if (member !== undefined && is(member)) return
    await sleep(200)
  }
}
