import fc from 'fast-check'
import { afterAll } from 'vitest'
import { cleanUp } from './clean-up.ts'

// No test depends on chance: a property is tried with the same values in every run.
fc.configureGlobal({ seed: 6749 })

// Vitest loads this file first and runs hooks in reverse order, so this hook is the last.
afterAll(cleanUp)
