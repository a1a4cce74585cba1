import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from '../scenario.ts'
import { onCluster } from './stages.ts'

const NEEDS = ['postgresql', 'patroni', 'etcd-server', 'haproxy'] as const
/** Longer than the ttl of the leader's key, so that the other node takes over. */
const FROZEN_MS = 30_000

export const primaryKilled: Scenario = {
  name: 'primary-killed',
  faults: 'kill -9 of all processes of the primary and its Patroni; the standby takes over',
  needs: NEEDS,
  run: (place, seed) =>
    onCluster(place, seed, async (cluster) => cluster.kill(await cluster.primary())),
}

export const primarySilent: Scenario = {
  name: 'primary-silent',
  faults:
    'the primary and its Patroni hang (SIGSTOP) for 30 s; the standby takes over, then the former primary comes back',
  needs: NEEDS,
  run: (place, seed) =>
    onCluster(place, seed, async (cluster) => {
      const wake = cluster.freeze(await cluster.primary())
      await sleep(FROZEN_MS)
      wake()
    }),
}

export const switchover: Scenario = {
  name: 'switchover',
  faults: 'planned switchover by Patroni, and back again',
  needs: NEEDS,
  run: (place, seed) =>
    onCluster(place, seed, async (cluster) => {
      await cluster.switchover(await cluster.primary())
      await sleep(3000)
      await cluster.untilSynchronous()
      await cluster.switchover(await cluster.primary())
    }),
}
