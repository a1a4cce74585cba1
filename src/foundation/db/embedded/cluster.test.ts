import { expect, test } from 'vitest'
import { memorySettings } from './cluster.ts'

const GB = 1024 ** 3

test.each([
  [0.5, '128MB', '256MB', '4MB', '64MB'],
  [4, '512MB', '2048MB', '16MB', '128MB'],
  [64, '2048MB', '32768MB', '64MB', '1024MB'],
])('a machine with %d GB', (gigabytes, buffers, cache, sort, maintenance) => {
  expect(memorySettings(gigabytes * GB)).toEqual({
    shared_buffers: buffers,
    effective_cache_size: cache,
    work_mem: sort,
    maintenance_work_mem: maintenance,
  })
})
