import type { SchoolClock } from '../../foundation/db/school-clock.ts'
import { clientClock } from '../clients/client.ts'
import { grantClocks } from '../grants/grant-clocks.ts'
import { idempotencyClock } from '../idempotency/repeated-write.ts'
import { jobClock } from '../jobs/finish-job.ts'
import { notificationClock } from '../notifications/notify.ts'
import { peopleClocks } from '../people/people-clocks.ts'

/** What stands still while a school is suspended. Large tables first: they take several steps. */
export const SCHOOL_CLOCKS: readonly SchoolClock[] = [
  ...grantClocks,
  ...peopleClocks,
  notificationClock,
  clientClock,
  idempotencyClock,
  jobClock,
]
