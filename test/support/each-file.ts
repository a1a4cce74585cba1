import { afterAll } from 'vitest'
import { cleanUp } from './clean-up.ts'

// Vitest loads this file first and runs hooks in reverse order, so this hook is the last.
afterAll(cleanUp)
