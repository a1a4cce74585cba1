import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts'],
    environment: 'node',
    globalSetup: 'test/support/global-setup.ts',
    restoreMocks: true,
    // Guards against a hang, nothing else: no test asserts how long something takes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
