import { defineConfig } from 'vitest/config'

/**
 * `npm run attack`: the long versions of the attacks, one file after another, because they measure.
 */
export default defineConfig({
  test: {
    include: ['test/attack/**/*.attack.ts'],
    environment: 'node',
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    fileParallelism: false,
    pool: 'forks',
    // A collection of garbage costs by what is alive, not by the input that is measured, so there
    // are few of them.
    execArgv: [
      '--min-semi-space-size=256',
      '--max-semi-space-size=256',
      '--initial-heap-size=4096',
      '--single-threaded-gc',
    ],
    // Guards against a hang, nothing else.
    testTimeout: 7_200_000,
    hookTimeout: 60_000,
  },
})
