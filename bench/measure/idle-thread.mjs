import { parentPort } from 'node:worker_threads'
import { watchLateness } from './lateness.mjs'

/** A thread without work: it is late only when the machine is. */
const lateness = watchLateness()

parentPort?.on('message', () => parentPort?.postMessage(lateness()))
