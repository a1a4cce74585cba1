import { watchLateness } from './lateness.mjs'

/**
 * Loaded into the server before its own code. Tells, when asked, how long its event loop stood
 * still, and how much memory it has.
 */
const lateness = watchLateness()

process.on('message', (message) => {
  if (message !== 'loop?') return
  process.send({ kind: 'loop', stallMs: lateness(), rss: process.memoryUsage.rss() })
})
process.channel?.unref()
