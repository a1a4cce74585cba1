import type { Caller } from '../../domain/grants/caller.ts'
import type { SyllabusReader } from '../../domain/learning/syllabus.ts'
import type { Person } from '../../domain/people/person.ts'
import type { School } from '../../domain/schools/school.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Meter } from './documents/meter.ts'

/** What resolvers get: the member who asks, the school of the request, and its rows. */
export interface MemberContext {
  readonly caller: Caller
  readonly school: School
  readonly at: SchoolDb
  /** For the one query that crosses schools: where else the viewer holds a role. */
  readonly db: Db
  /** One for the request, so that aliases of a list share what is read. */
  readonly syllabuses: () => SyllabusReader
  /** Name, email and picture of the viewer; read when a query selects them. */
  readonly profile: () => Promise<Person>
  /** Counts what the query costs, and stops it at the limit. */
  readonly meter: Meter
}

export type Viewer = Caller['person']
