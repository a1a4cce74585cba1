import type { Scenario } from './scenario.ts'
import { connectionsSilent } from './scenarios/connections-silent.ts'
import {
  embeddedDiskFull,
  embeddedPostgresKilled,
  embeddedServerKilled,
} from './scenarios/embedded.ts'
import { primaryKilled, primarySilent, switchover } from './scenarios/primary-lost.ts'
import { backupRestored, pointInTime } from './scenarios/restored.ts'
import { rollingRestart, rollingUpgrade } from './scenarios/rolling.ts'

export const SCENARIOS: readonly Scenario[] = [
  primaryKilled,
  primarySilent,
  switchover,
  connectionsSilent,
  rollingRestart,
  rollingUpgrade,
  backupRestored,
  pointInTime,
  embeddedPostgresKilled,
  embeddedServerKilled,
  embeddedDiskFull,
]
