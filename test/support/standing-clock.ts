import { vi } from 'vitest'

/**
 * For `beforeEach`: allowances of callers grow with this clock, so that they do not grow during a
 * test, however long it takes. Timers go on.
 */
export function standingClock(): () => void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  return () => clock.mockRestore()
}
