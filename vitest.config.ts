import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts'],
    environment: 'node',
    globalSetup: 'test/support/global-setup.ts',
    restoreMocks: true,
    // The files share their modules: each brings its own database, and none leaves state in a module.
    isolate: false,
    // Guards against a hang, nothing else: no test asserts how long something takes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
