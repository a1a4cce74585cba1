// A thread that does nothing but see how late its own timer is. What it waits for is the machine,
// not the server.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parentPort } from 'node:worker_threads'

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
parentPort?.on('message', () => {
  parentPort?.postMessage(delay.percentile(99) / 1e6)
  delay.reset()
})
