import fc from 'fast-check'
import { afterAll } from 'vitest'
import { cleanUp } from './clean-up.ts'

// No test depends on chance: a property is tried with the same values in every run.
fc.configureGlobal({ seed: 6749 })

// If the run is interrupted, a worker ends as a process should, so that it ends its own children
// first.
for (const end of ['disconnect', 'SIGTERM'] as const) {
  if (process.listenerCount(end) === 0) process.once(end, () => process.exit())
}

// Vitest loads this file first and runs hooks in reverse order, so this hook is the last.
afterAll(cleanUp)
