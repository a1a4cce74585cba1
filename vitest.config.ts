import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts'],
    environment: 'node',
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    restoreMocks: true,
    // The files share their modules. Each brings its own database; what a module remembers must not
    // matter to the next file.
    isolate: false,
    // Half of a test is waiting for PostgreSQL, so two share even two cores well. Tests with
    // browsers and servers of their own wait for longer: npm run test:all has three.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A test file makes much garbage and keeps little of it: with more room it is collected less
    // often.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=128'],
    // Guards against a hang, nothing else: no test asserts how long something takes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
  },
})
