import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded into the server before its own code, so it is plain JavaScript. Tells, when asked, for how long its event loop
 * stood still at most since the last question, and how much memory it has.
 */
const RESOLUTION_MS = 5
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delays.enable()

process.on('message', (message) => {
  if (message !== 'loop?') return
  const stallMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
  delays.reset()
  process.send({ kind: 'loop', stallMs, rss: process.memoryUsage.rss() })
})
process.channel?.unref()
