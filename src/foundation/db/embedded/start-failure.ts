import {
  diskFull,
  EmbeddedPostgresError,
  USE_ANOTHER_POSTGRESQL,
} from './embedded-postgres-error.ts'

/**
 * Why PostgreSQL did not start, read from its log (which is English, because it runs without a locale).
 * `locked`: another postmaster was faster. `locking`: another one has made its lock file and not written it
 * yet, or was killed in between. `orphans`: processes of a killed postmaster still run.
 */
export function explainStartFailure(
  log: string,
  where: { clusterDir: string; logFile: string; exit: string },
): 'locked' | 'locking' | 'orphans' | EmbeddedPostgresError {
  if (/lock file ".*" already exists/.test(log)) return 'locked'
  if (/lock file ".*" is empty/.test(log)) return 'locking'
  if (/pre-existing shared memory block .* is still in use/.test(log)) return 'orphans'
  if (/No space left on device|Disk quota exceeded/.test(log)) return diskFull(where.clusterDir)
  if (/could not (map|create) .*shared memory|Cannot allocate memory/.test(log)) {
    return new EmbeddedPostgresError(
      'out-of-memory',
      'PostgreSQL could not get the memory it needs (about 150 MB).',
      `give this machine or container more memory, or ${USE_ANOTHER_POSTGRESQL}`,
    )
  }
  const reason = log.split('\n').findLast((line) => /(FATAL|PANIC|ERROR): /.test(line))
  const said = reason?.replace(/^.*?(?:FATAL|PANIC|ERROR): +/, '') ?? where.exit
  return new EmbeddedPostgresError(
    'start-failed',
    `PostgreSQL did not start on ${where.clusterDir}: ${said}`,
    `read ${where.logFile} for the whole story; docs/embedded-postgresql.md, "When it does not start", lists what helps`,
  )
}
