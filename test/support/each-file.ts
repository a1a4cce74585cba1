import { afterAll } from 'vitest'
import { cleanUp } from './clean-up.ts'

// Vitest runs this file before each test file and hooks in reverse order, so this one comes last.
afterAll(cleanUp)
