import type { Config } from '../../config.ts'
import { listensOnLoopback } from '../../foundation/net/loopback.ts'
import { type Finding, fine, note } from './finding.ts'

/** Who can read the metrics. Route patterns and counts are no secrets, but they tell how busy a school is. */
export function checkMetrics(config: Config): readonly Finding[] {
  const { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token } = config
  if (port === undefined) return []
  const place = `${host}:${port}`
  if (token !== undefined) return [fine('metrics', `Served on ${place}, with METRICS_TOKEN only.`)]
  if (listensOnLoopback(host)) return [fine('metrics', `Served on ${place}, to this machine only.`)]
  return [
    note(
      'metrics',
      `Served on ${place} to every program that can reach this address.`,
      'set METRICS_TOKEN, or leave METRICS_HOST out so that only this machine reads them',
    ),
  ]
}
