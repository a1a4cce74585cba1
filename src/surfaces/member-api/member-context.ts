import type { Caller } from '../../domain/access/caller.ts'
import type { OutlineCache } from '../../domain/learning/outline-cache.ts'
import type { Person } from '../../domain/people/person.ts'
import type { School } from '../../domain/schools/school.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** What resolvers know: the member who asks, the school that was called, and its rows. */
export interface MemberContext {
  readonly caller: Caller
  readonly school: School
  readonly at: SchoolDb
  /** For the one question that crosses schools: where else the viewer holds a role. */
  readonly db: Db
  readonly outlines: OutlineCache
  /** Who the viewer is beyond an id; read when it is first asked for. */
  readonly profile: () => Promise<Person>
}

export type Viewer = Caller['person']
