import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../contenders/free-port.ts'
import { stop, untilReady } from '../contenders/start.ts'
import { middleOf } from '../report/summary.ts'
import { readClocks, usedBetween } from './cpu.ts'

export interface StartUp {
  readonly seconds: number
  readonly cpuSeconds: number
}

/** The number of starts; the median is reported. */
const STARTS = 5

/**
 * From the start of the process to ready on an existing data folder, with the embedded PostgreSQL.
 */
export async function measureStartUp(): Promise<StartUp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'schoolgate-bench-'))
  try {
    await startOnce(dataDir)
    const starts: StartUp[] = []
    for (let n = 0; n < STARTS; n++) starts.push(await startOnce(dataDir))
    return {
      seconds: middleOf(starts.map(({ seconds }) => seconds)),
      cpuSeconds: middleOf(starts.map(({ cpuSeconds }) => cpuSeconds)),
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function startOnce(dataDir: string): Promise<StartUp> {
  const port = await freePort()
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  const env = { ...process.env, PORT: String(port), SCHOOLGATE_DATA_DIR: dataDir }
  const started = performance.now()
  const child = spawn(process.execPath, [main, 'start'], { stdio: 'ignore', env })
  await untilReady(port, child)
  const seconds = (performance.now() - started) / 1000
  const cpuSeconds = usedBetween(new Map(), readClocks(child.pid ?? 0)) / 1e6
  await stop(child)
  return { seconds, cpuSeconds }
}
