import type { OutlineSource } from '../../../domain/learning/outline.ts'
import type { Meter } from './meter.ts'

/** Outlines of the cache count as well: a query must not cost more after a restart. */
export function meteredOutlines(outlines: OutlineSource, meter: Meter): OutlineSource {
  return {
    load: (at, courses) =>
      meter.read(
        () => outlines.load(at, courses),
        (found) => {
          let rows = 0
          for (const { sections, lectureCount } of found.values()) {
            rows += sections.length + lectureCount
          }
          return rows
        },
      ),
  }
}
