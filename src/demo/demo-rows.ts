import type { Keyring } from '../foundation/crypto/seal.ts'
import { DemoClock } from './demo-clock.ts'
import { addPeople } from './people.ts'
import { RowSet } from './row-set.ts'
import { addSchoolLife } from './school-life.ts'
import { addSchool, addSigningKey, demoSchools } from './schools.ts'
import { type Stage, schoolId } from './stage.ts'

interface Making {
  readonly now: Date
  readonly port: number
  readonly keyring: Keyring
  readonly passwordHash: string
}

/** All rows of the demo world. Only times, signing keys and the password hash differ between two runs. */
export function gatherDemoRows({ now, port, keyring, passwordHash }: Making): RowSet {
  const clock = new DemoClock(now)
  const rows = new RowSet()
  addPeople(rows, clock, passwordHash)
  for (const school of demoSchools) {
    const stage: Stage = { school, schoolId: schoolId(school), clock, rows }
    addSchool(stage, port)
    addSigningKey(stage, keyring)
    addSchoolLife(stage)
  }
  return rows
}
