import { defineConfig } from 'vitest/config'

/**
 * `npm run model`: random traces, judged by the reference model; goes on where the last run ended.
 */
export default defineConfig({
  test: {
    include: ['test/model/**/*.model.ts'],
    environment: 'node',
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    pool: 'forks',
    // Half of what a trace allocates would outlive a smaller one.
    execArgv: ['--max-semi-space-size=128'],
    // Guards against a hang, nothing else.
    testTimeout: 86_400_000,
    hookTimeout: 60_000,
  },
})
