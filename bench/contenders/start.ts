import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Target } from '../measure/round.ts'
import type { Play } from '../play.ts'
import type { Scenario } from '../scenario.ts'
import { SECRET } from '../world/signing.ts'
import { stopAtExit } from '../world/stop-at-exit.ts'
import { OURS, type World } from '../world/world.ts'
import type { ContenderName } from './contender-names.ts'
import { freePort } from './free-port.ts'
import { isProgram } from './installed.ts'
import type { ContenderMessage, PrepareMessage } from './serve.ts'

/** A contender that runs and waits for requests. */
export interface Contender {
  readonly name: ContenderName
  readonly target: Target
  prepare(count: number): Promise<Play>
  stop(): Promise<void>
}

const BENCH = fileURLToPath(new URL('..', import.meta.url))
const COUNTING = ['--import', `${BENCH}measure/count-statements.mjs`]

/** The `dist` folder of another build, measured beside this one. */
export const BASELINE = process.env.BENCH_BASELINE

/** No rate limits, because here one client sends all requests. */
const UNLIMITED = {
  TOKEN_RATE_PER_SECOND: '100000',
  TOOL_CALL_RATE_PER_MINUTE: '100000',
  API_CALL_RATE_PER_MINUTE: '1000000',
  MEMBER_API_COST_PER_MINUTE: '999999999',
}

export async function startContender(
  name: ContenderName,
  world: World,
  scenario: Scenario,
): Promise<Contender> {
  if (name === 'ours') return await startOurs(name, world, scenario, { LOG_LEVEL: 'warn' })
  if (name === 'ours-logging') return await startOurs(name, world, scenario, { LOG_LEVEL: 'info' })
  if (name === 'ours-workers') {
    return await startOurs(name, world, scenario, { LOG_LEVEL: 'warn', WORKERS: '2' })
  }
  if (name === 'baseline') return await startOurs(name, world, scenario, { LOG_LEVEL: 'warn' })
  return await startInOwnProcess(name, world, scenario)
}

/** The product as it is deployed: the build, in production mode, with an external PostgreSQL. */
export async function startOurs(
  name: ContenderName,
  world: World,
  scenario: Scenario,
  env: Readonly<Record<string, string>>,
): Promise<Contender> {
  const port = await freePort()
  const build = name === 'baseline' ? BASELINE : `${BENCH}../dist`
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', ...COUNTING, ...profiling(name), `${build}/main.js`, 'start'],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      cwd: BENCH,
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PORT: String(port),
        DATABASE_URL: world.urlOf(OURS),
        SCHOOLGATE_SECRET: SECRET,
        ...UNLIMITED,
        ...env,
      },
    },
  )
  stopAtExit({ stop: () => stop(child) })
  await untilReady(port, child)
  return {
    name,
    target: { port, pid: pidOf(child), countStatements: () => countStatements(child) },
    prepare: (count) => scenario.prepare(world, count),
    stop: () => stop(child),
  }
}

const OWN_TABLES: readonly string[] = [
  'oidc-provider-postgres',
  'better-auth',
  'doorkeeper',
  'glewlwyd',
]

async function startInOwnProcess(
  name: ContenderName,
  world: World,
  scenario: Scenario,
): Promise<Contender> {
  const [server = name, variant] = name.split('+')
  const play = variant === undefined ? scenario.name : `${scenario.name}+${variant}`
  const database = OWN_TABLES.includes(server) ? name.replaceAll(/\W/g, '_') : OURS
  if (database !== OURS) await world.createDatabase(database)
  const child = fork(fileURLToPath(new URL(`./${server}.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx', ...COUNTING, ...profiling(name)],
    cwd: BENCH,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      BENCH_DATABASE_URL: world.urlOf(database),
      BENCH_SCENARIO: scenario.name,
      BENCH_VARIANT: variant ?? '',
    },
  })
  stopAtExit({ stop: () => stop(child) })
  const ready = await nextMessage(child)
  if (ready.kind !== 'ready') throw new Error(`${name} did not start`)
  const usesOurApi = database === OURS && server !== 'oidc-provider-memory'
  return {
    name,
    target: {
      port: ready.port,
      pid: pidOf(child),
      // Only those of Node are counted.
      countStatements: async () => (isProgram(name) ? Number.NaN : await countStatements(child)),
    },
    prepare: (count) => (usesOurApi ? scenario.prepare(world, count) : ask(child, { play, count })),
    stop: () => stop(child),
  }
}

async function ask(child: ChildProcess, message: PrepareMessage): Promise<Play> {
  child.send(message)
  const answer = await nextMessage(child)
  if (answer.kind === 'prepared') return answer.play
  throw new Error(answer.kind === 'failed' ? answer.reason : 'unexpected message')
}

async function countStatements(child: ChildProcess): Promise<number> {
  child.send('statements?')
  const answer = await nextMessage(child)
  if (answer.kind !== 'statements') throw new Error('unexpected message')
  return answer.statements
}

function nextMessage(child: ChildProcess): Promise<ContenderMessage> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a contender ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as ContenderMessage)
    })
  })
}

export async function untilReady(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the server did not get ready')
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  // The second signal ends the wait for load balancers. Sent at once, both would arrive as one.
  const again = setTimeout(() => child.kill('SIGTERM'), 100)
  await ended
  clearTimeout(again)
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a contender has no process')
  return child.pid
}

/** `BENCH_PROFILE=ours` writes a CPU profile of that contender into `bench/data/`. */
function profiling(name: ContenderName): readonly string[] {
  if (process.env.BENCH_PROFILE !== name) return []
  return ['--cpu-prof', `--cpu-prof-dir=${fileURLToPath(new URL('../data', import.meta.url))}`]
}
