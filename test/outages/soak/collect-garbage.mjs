// Loaded into the server of a soak. Once a minute it collects the garbage and writes how much
// memory is held then: V8 leaves garbage until it needs the memory, for half an hour if there is
// enough, and then no leak could be seen.
import { renameSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 60_000

const file = process.env.SOAK_HELD_FILE
if (file !== undefined && isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const look = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    writeFileSync(`${file}.next`, String(heapUsed + external))
    renameSync(`${file}.next`, file)
  }
  look()
  setInterval(look, EVERY_MS).unref()
}
