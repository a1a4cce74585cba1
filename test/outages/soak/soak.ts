import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningEmbedded } from '../../../src/foundation/db/embedded/embedded-postgres.ts'
import { build, freePort } from '../../faults/support/running-server.ts'
import { describeMachine } from '../machine/describe-machine.ts'
import { Place } from '../machine/place.ts'
import { makeWorld, startServer } from '../machine/servers.ts'
import { purgeOf } from '../scenarios/stages.ts'
import { checkLedger } from '../traffic/check.ts'
import { Traffic } from '../traffic/traffic.ts'
import { type Soaked, soakPage, soakPlot } from './page.ts'
import { type Figure, look, type Sample, startIdleThread } from './sample.ts'
import { judge } from './verdict.ts'

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30)
const LOOK_SECONDS = 10
const DOCS = new URL('../../../docs/', import.meta.url)
const COLLECTING = new URL('./collect-garbage.mjs', import.meta.url).href

const WATCHED: readonly Figure[] = [
  'memoryMegabytes',
  'heldMegabytes',
  'descriptors',
  'eventLoopDelayMs',
  'backends',
]

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/**
 * `npm run soak`: returns the exit code, 1 if a figure grows or something that was confirmed is
 * lost.
 */
export async function soak(): Promise<number> {
  await build()
  const place = await Place.make()
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.abort(new Error('interrupted')))
  }
  try {
    const soaked = await run(place, interrupted.signal)
    const { samples, problems } = soaked
    writeFileSync(new URL('soak.md', DOCS), soakPage(soaked))
    writeFileSync(new URL('soak.svg', DOCS), soakPlot(samples))
    const growing = WATCHED.filter((figure) => !judge(samples, figure).isFlat)
    for (const problem of problems) say(`FAILED: ${problem}`)
    say(growing.length === 0 ? 'flat' : `grows: ${growing.join(', ')}`)
    return growing.length + problems.length > 0 ? 1 : 0
  } finally {
    await place.end()
  }
}

async function run(place: Place, signal: AbortSignal): Promise<Soaked> {
  const folder = join(place.folder, 'data')
  place.processes.ownEmbedded(folder)
  const metricsPort = await freePort()
  const data = { SCHOOLGATE_DATA_DIR: folder, METRICS_PORT: String(metricsPort) }
  const port = await makeWorld(place, data)
  const heldFile = join(place.folder, 'held')
  const server = await startServer(
    place,
    { ...data, NODE_OPTIONS: `--import ${COLLECTING}`, SOAK_HELD_FILE: heldFile },
    { port },
  )
  const database = await findRunningEmbedded(folder)
  const pid = server.process.pid
  if (database === undefined || pid === undefined) throw new Error('the server does not run')
  const traffic = await Traffic.start({
    ports: [port],
    host: `localhost:${port}`,
    seed: 18,
    pauseMs: 400,
    importPauseMs: 60_000,
    revocations: 1,
    purge: purgeOf(place, { SCHOOLGATE_DATA_DIR: folder }),
    purgePauseMs: 60_000,
  })
  const idle = startIdleThread()
  const samples = await sampleUntilDone(
    () => look({ pid, metricsPort, database, heldFile, idle }),
    traffic,
    signal,
  ).finally(() => Promise.all([traffic.stop(), idle.terminate()]))
  await checkLedger(traffic.ledger, traffic.caller)
  const { lost, revokedAccepted, signedOut } = traffic.ledger
  const { requests } = traffic.figures
  return {
    samples,
    machine: describeMachine(),
    day: new Date().toISOString().slice(0, 10),
    requests,
    failures: traffic.figures.byKind(),
    problems: [...lost, ...revokedAccepted, ...signedOut, ...traffic.errors],
  }
}

async function sampleUntilDone(
  lookNow: () => ReturnType<typeof look>,
  traffic: Traffic,
  signal: AbortSignal,
): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const startedAt = Date.now()
  let [before, beforeAt] = [traffic.figures.requests, startedAt]
  while (Date.now() - startedAt < MINUTES * 60_000) {
    await sleep(LOOK_SECONDS * 1000, undefined, { signal })
    const [now, requests] = [Date.now(), traffic.figures.requests]
    samples.push({
      minutes: (now - startedAt) / 60_000,
      requests: (requests - before) / ((now - beforeAt) / 1000),
      ...(await lookNow()),
    })
    ;[before, beforeAt] = [requests, now]
  }
  return samples
}
