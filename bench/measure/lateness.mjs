import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 5

/**
 * Plain JavaScript, because it is loaded into the server. Tells for how long this thread stood
 * still at most since the last question.
 */
export function watchLateness() {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return () => {
    const latest = Math.max(0, delays.max / 1e6 - RESOLUTION_MS)
    delays.reset()
    return latest
  }
}
